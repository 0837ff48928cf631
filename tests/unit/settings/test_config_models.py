"""Which models are asked, where, and at what price, as the config says."""

from decimal import Decimal

import pytest

from bot.settings import Settings
from bot.settings.secrets import known_values

SERVER = '[models.endpoints.local]\nbase_url = "http://127.0.0.1:11434/v1"\n'


def models(*names: str) -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    return f"[models]\nproposer = [{listed}]\n"


def test_a_cascade_is_a_list_or_one_name(load):
    """One model may stand without brackets."""
    one = load('[models]\nproposer = "openai:gpt-5-mini"').settings.models
    two = load(models("openai:a", "local:b") + SERVER).settings.models
    assert ("openai:gpt-5-mini",) == one.proposer
    assert ("openai:a", "local:b") == two.proposer


def test_servers_and_prices_have_names_of_ones_own(load):
    """Tables of any name are read, and prices stay exact."""
    text = (
        models("local:qwen")
        + SERVER
        + 'context = 32768\ntimeout = "2m"\nfree = true\n'
        + "[models.prices.m]\nfree = true\n"
        + '[models.prices."openai:gpt-x"]\ninput = 0.25\noutput = 2\ncache_read = 0.025\n'
    )
    found = load(text).settings.models
    local, price = found.endpoints["local"], found.prices["openai:gpt-x"]
    assert (32768, 120.0, True, None) == (
        local.context,
        local.timeout,
        local.free,
        local.in_flight,
    )
    assert (Decimal("0.25"), Decimal(2), Decimal("0.025")) == (
        price.input,
        price.output,
        price.cache_read,
    )


def test_a_provider_can_be_reached_elsewhere(load):
    """An endpoint of a provider's name needs no address of its own."""
    text = '[models.endpoints.openai]\ntimeout = "1m"\n' + models("openai:a")
    assert 60.0 == load(text).settings.models.endpoints["openai"].timeout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            models("gpt-5"),
            'models.proposer[0]: "gpt-5" is no model; write one like "openai:gpt-5-mini"',
        ),
        (
            models("opnai:gpt-5"),
            'models.proposer[0]: "opnai:gpt-5" names no server; did you mean "openai"?',
        ),
        (
            models("zzz:m"),
            'models.proposer[0]: "zzz:m" names no server; known: openai, anthropic, google',
        ),
        ('[models]\nproposer = "zzz:m"', "models.proposer[0]: "),
        ("[models]\nproposer = 5", "models.proposer: 5 is no list"),
        ("[models]\njudge = 5", "models.judge: there is no such key"),
        (
            "[models.endpoints.local]\ncontext = 5",
            "models.endpoints.local.base_url: is missing",
        ),
        (
            SERVER + "contxt = 5",
            "models.endpoints.local.contxt: there is no such key; did you mean context?",
        ),
        (SERVER + "context = 0", "models.endpoints.local.context: 0 is too small"),
        (
            SERVER + 'api_key_name = "GITHUB_TOKEN"',
            'models.endpoints.local.api_key_name: "GITHUB_TOKEN" is the forge\'s own',
        ),
        (
            "[models.endpoints.Local]\nbase_url = 'http://h'",
            'models.endpoints.Local: "Local" is no name',
        ),
        (
            "[models.endpoints.l]\nbase_url = 'http://me:pw@h/v1'",
            "models.endpoints.l.base_url: holds a password",
        ),
        (
            '[models.prices."a:b"]\ninput = 1',
            'models.prices."a:b".output: is missing: US dollars per million tokens',
        ),
        (
            "[models.prices.m]\nfree = true\ninput = 1",
            "models.prices.m: has both free = true and input",
        ),
        (
            "[models.prices.m]\ninput = -1\noutput = 1",
            "models.prices.m.input: -1 is no",
        ),
        ("models = 5", "models: 5 is no table"),
        ("[models]\nendpoints = 5\nprices = []", "models.prices: a list is no table"),
    ],
)
def test_mistakes_are_told_with_their_key(refusals, text, told):
    """Each mistake is one line that names the key and the right form."""
    assert told in refusals(text)[0]


def test_what_is_wrong_by_its_type_is_told_once(refusals):
    """Tables that are none get one line each, from the model alone."""
    text = (
        "[models]\nendpoints = { a = 1, openai = { free = true } }\n"
        'prices = { b = 2, c = { free = false } }\n[[repo]]\nname = "r"\n'
        'path = "/x"\nbase = "main"\nsetup = 3\ncheck = [4]\n'
    )
    assert [
        "models.prices.c.input",
        "models.prices.c.output",
        "models.prices.b",
        "models.endpoints.a",
        "repo[0].setup",
        "repo[0].check[0]",
    ] == [line.partition(": ")[0].partition(" (")[0] for line in refusals(text)]


def test_a_models_key_is_given_to_no_command(refusals):
    """A check that asks for the key of an endpoint is refused."""
    text = (
        SERVER
        + 'api_key_name = "LLM_KEY"\n'
        + '[[repo]]\nname = "a"\npath = "/x"\nbase = "main"\n'
        + '[[repo.check]]\nrun = "true"\nsecrets = ["OTHER", "LLM_KEY"]\n'
    )
    (line,) = refusals(text)
    assert line.startswith(
        'repo[0].check[0].secrets[1] (repo "a"): "LLM_KEY" is a model\'s key'
    )


def test_keys_of_endpoints_are_hidden(tmp_path):
    """What an endpoint's secret holds, or its address, can't slip into a text."""
    endpoint = {"base_url": "http://me:hunter2@h/v1", "api_key_name": "LLM_KEY"}
    open_one = {"base_url": "http://h/v1"}
    endpoints = {"local": endpoint, "open": open_one}
    settings = Settings(models={"endpoints": endpoints})
    known = known_values(settings, {"LLM_KEY": "llm-value"}, run_secrets=tmp_path)
    assert ("llm-value", "hunter2") == known


def test_servers_are_set_in_the_file_only(load):
    """A variable for a table of one's own name is not used, and that is said."""
    env = {"BOT_MODELS__ENDPOINTS__LOCAL__CONTEXT": "5", "BOT_MODELS__PROPOSER": "a:b"}
    loaded = load("", env)
    assert ["lists and [[repo]] are set in the file only"] * 2 == [
        warning.partition("not used: ")[2] for warning in loaded.warnings
    ]
