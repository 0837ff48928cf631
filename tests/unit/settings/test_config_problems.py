"""What is told of a config that is wrong."""

import pytest
from pydantic import TypeAdapter, ValidationError

from bot.settings.problems import Problem, problems_of

REPO = '[[repo]]\nname = "lake"\npath = "/srv/lake"\nbase = "main"\n'
TOKEN = "ghp_" + "a1B2" * 8
HINT = "; secrets never stand in the file: "


def test_everything_is_told_at_once(refusals):
    """Each mistake is a line: the key's path, the repository's name, the right form."""
    text = f"""
        timezone = "Europe/Berln"
        [budget]
        usd_per_dy = 5
        [sandbox]
        memory = "4gb"
        {REPO}
        [[repo.check]]
        run = "true"
        [[repo.check]]
        run = "true"
        timeout = 90
    """
    assert refusals(text) == [
        'timezone: "Europe/Berln" is no time zone; did you mean "Europe/Berlin"?',
        "budget.usd_per_dy: there is no such key; did you mean usd_per_day?",
        'sandbox.memory: "4gb" is no size; write a size like "512KB", "64MB" or "4GB"',
        (
            'repo[0].check[1].timeout (repo "lake"): 90 is no duration; write a duration '
            'like "90s", "15m", "2h" or "3d"'
        ),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("data_dir = 5", 'data_dir: 5 is no path; write it in quotes, like "…"'),
        ('data_dir = " "', 'data_dir: " " is no folder; write a path'),
        ("timezone = 5", 'timezone: 5 is no text; write it in quotes, like "…"'),
        (
            'timezone = "Zzz"',
            'timezone: "Zzz" is no time zone; write one like "UTC" or',
        ),
        ('timezone = "../x"', 'timezone: "../x" is no time zone; '),
        ('timezone = "Europe"', 'timezone: "Europe" is no time zone; did you mean'),
        ("budget = []", "budget: a list is no table; write its header"),
        ("[budget]\nusd_per_day = {}", "budget.usd_per_day: a table is no amount"),
        ("[budget]\nusd_per_day = nan", "budget.usd_per_day: NaN is no amount"),
        (
            "[budget]\nusd_per_day = 1e7",
            "budget.usd_per_day: 1E+7 is too large; the most is 1000000",
        ),
        (
            "[limits]\nmax_open_prs = -1",
            "limits.max_open_prs: -1 is too small; the least is 0",
        ),
        (
            "[sandbox]\nmemory = '1MB'",
            'sandbox.memory: "1MB" is too small; the least is 16MB',
        ),
        (
            "[sandbox]\ntimeout = '0s'",
            'sandbox.timeout: "0s" is too small; write more than 0s',
        ),
        (
            "[sandbox]\nprocesses = true",
            "sandbox.processes: true is no whole number; write a whole number like 5",
        ),
        (
            "[sandbox]\nkind = 'docker'",
            'sandbox.kind: "docker" is not known here; write "bwrap" or "none"',
        ),
        (
            "[sandbox]\ntools = '/x'",
            'sandbox.tools: "/x" is no list; write one in brackets, like ["…"]',
        ),
        (
            "[sandbox]\ntools = ['/']",
            'sandbox.tools[0]: "/" would show a home or the data folder',
        ),
        (
            "[observer]\nskip = ['skiped_*']",
            'observer.skip[0]: "skiped_*" matches no outcome; did you mean "skipped_',
        ),
        (
            "[observer]\nskip = ['zz']",
            'observer.skip[0]: "zz" matches no outcome; write one like "skipped_*"',
        ),
        (
            "[observer]\nurl = 'localhost:80'",
            'observer.url: "localhost:80" is no web address; write one like "http://',
        ),
        (
            "max_files = 5",
            "max_files: there is no such key here; it belongs under [repo.policy]",
        ),
        (
            "zzz = 5",
            "zzz: there is no such key; known here: data_dir, timezone, budget,",
        ),
        ('"a b" = 5', '"a b": there is no such key; known here: data_dir'),
        ("[schedule]\nevery = '1h'", "schedule: there is no such key; known here: "),
        (
            "[sandbox]\nprocesses = 0x" + "F" * 5000,
            "sandbox.processes: a huge number is too large; the most is 1000",
        ),
        ("repo = 5", "repo: 5 is no list; write one in brackets"),
        ("repo = ['x']", 'repo[0]: "x" is no table; write its header'),
        ("[[repo]]\nname = 5", "repo[0].name: 5 is no text"),
    ],
)
def test_a_mistake_and_its_line(refusals, text, told):
    """A mistake at the top or in a table is told with its key and the right form."""
    assert any(line.startswith(told) for line in refusals(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "timeout = '5m'",
            "timeout: there is no such key here; it belongs under [[repo.recipe]] or under [[repo.setup]] or under [[repo.check]]",
        ),
        (
            "timezone = 'UTC'",
            "timezone: there is no such key here; it belongs at the top of the file",
        ),
        ("forge = 'github'", 'forge: "github" is not known here; write "local"'),
        (
            "mark_done = 'no'",
            'mark_done: "no" is not known here; write "pull_request" or "never"',
        ),
        ("prd = []", "prd: a list is empty; write at least one entry"),
        ("prd = ['/etc/x']", 'prd[0]: "/etc/x" is not inside the repository'),
        ("prd = ['a/../../x']", 'prd[0]: "a/../../x" is not inside the repository'),
        ("prd = ['~/x']", 'prd[0]: "~/x" is not inside the repository'),
        ("prd = ['']", 'prd[0]: "" is not inside the repository'),
        (r"prd = ['a\b']", 'prd[0]: "a\\\\b" has a backslash or a control character'),
        ("prd = ['.Git/x']", 'prd[0]: ".Git/x" is git\'s own folder'),
        (
            "prefix = 'a..b'",
            "prefix: \"a..b\" has '..' or '@{' in it; write a branch name",
        ),
        ("prefix = '-x'", "prefix: \"-x\" is empty, '@', or starts with '-' or '/'"),
        ("prefix = 'x/'", "prefix: \"x/\" ends with '/' or '.', or has '//' in it"),
        ("prefix = 'x.lock/y'", 'prefix: "x.lock/y" has a part that starts with'),
        ("prefix = 'x y'", 'prefix: "x y" has a space, a control character or one'),
        (
            "prefix = 'refs/heads/x'",
            'prefix: "refs/heads/x" starts with "refs/"; write',
        ),
        (
            "prefix = 'main'",
            'base: "main" would be one of the bot\'s own branches; choose',
        ),
        (
            "commit_subject = 'x'",
            'commit_subject: "x" has no {summary}; write one line',
        ),
        (
            "commit_subject = '{x}{summary}'",
            'commit_subject: "{x}{summary}" has a field other',
        ),
        (
            "commit_subject = '{summary!r}'",
            'commit_subject: "{summary!r}" has a field other',
        ),
        (
            "commit_subject = '{summary'",
            'commit_subject: "{summary" has a brace too many',
        ),
        (
            'commit_subject = "{summary}\\nx"',
            'commit_subject: "{summary}\\nx" must be one line',
        ),
        ("identity.name = 'a <b>'", "identity.name: \"a <b>\" has '<' or '>' in it"),
        ("identity.email = ' '", 'identity.email: " " must be one line of text'),
        (
            "budget.usd_per_gap = 4",
            "budget.usd_per_gap: 4 is wider than budget.usd_per_gap, which is 3",
        ),
        (
            "limits.prs_per_day = 5",
            "limits.prs_per_day: 5 is wider than limits.prs_per_day, which is 4",
        ),
        (
            "policy.cooldown = []",
            "policy.cooldown: a list is empty; write at least one entry",
        ),
        ("policy.max_files = 0", "policy.max_files: 0 is too small; the least is 1"),
        (
            "policy.draft = 'yes'",
            'policy.draft: "yes" is no yes or no; write true or false',
        ),
        ("policy.draft = 1", "policy.draft: 1 is no yes or no; write true or false"),
        (
            "policy.protected = ['/x']",
            'policy.protected[0]: "/x" is not inside the repository',
        ),
        (
            "policy.busy_url = 'http://:80'",
            'policy.busy_url: "http://:80" is no web address',
        ),
        (
            "policy.labels = ['" + "x" * 51 + "']",
            'policy.labels[0]: "' + "x" * 51 + '" is too long; write at most 50',
        ),
        (
            "[[repo.check]]",
            "check[0].run: is missing: Command, run by sh; exit status 0 is green.",
        ),
        (
            "[[repo.check]]\nrun = ' '",
            'check[0].run: " " is no command; write one like "make test"',
        ),
        (
            "[[repo.check]]\nrun = 'x'\ncwd = '..'",
            'check[0].cwd: ".." is not inside the repository',
        ),
        (
            "[[repo.check]]\nrun = 'x'\nenv = 5",
            "check[0].env: 5 is no table; write one in braces",
        ),
        (
            "[[repo.check]]\nrun = 'x'\nenv = { '1X' = 'a' }",
            'check[0].env.1X: "1X" is no variable\'s name',
        ),
        (
            '[[repo.check]]\nrun = "x"\nenv = { X = "\\u0000" }',
            'check[0].env.X: "\\u0000" holds a NUL',
        ),
        (
            "[[repo.check]]\nrun = 'x'\nsecrets = ['A-B']",
            'check[0].secrets[0]: "A-B" is no variable\'s name',
        ),
        (
            "[[repo.check]]\nrun = 'x'\nsecrets = ['GITHUB_TOKEN']",
            'check[0].secrets[0]: "GITHUB_TOKEN" is the bot\'s own',
        ),
        (
            "[[repo.setup]]\nrun = 'x'\nsecrets = ['B', 'A']\nenv = { A = '1' }",
            'setup[0].secrets[1]: "A" stands in env too',
        ),
        (
            "[[repo.setup]]\nrun = 'x'\nkey = ['../x']",
            'setup[0].key[0]: "../x" is not inside the repository',
        ),
        (
            "[[repo.recipe]]\nrun = 'x'\nname = 'a b'",
            'recipe[0].name: "a b" is no name; write at most 64 letters',
        ),
        (
            "[[repo.recipe]]\nrun = 'x'\nname = 'a'\n[[repo.recipe]]\nrun = 5\nname = 'a'",
            'recipe[1].name: "a" is the name of recipe[0] already; choose another',
        ),
    ],
)
def test_a_mistake_in_a_repository(refusals, text, told):
    """A mistake in a repository is told with its key, and whose it is."""
    whole = [line.replace(' (repo "lake")', "") for line in refusals(REPO + text)]
    assert any(line.startswith(f"repo[0].{told}") for line in whole), whole


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Lake", "is no name; write at most 64 of a-z"),
        ("../x", "is no name; write at most 64 of a-z"),
        ("a" * 65, "is no name; write at most 64 of a-z"),
        ("ledger", "is a file of the data folder itself"),
        ("bot.sqlite3-wal", "is a file of the data folder itself"),
        ("bot.paused", "is a file of the data folder itself"),
    ],
)
def test_names_that_no_repository_may_have(refusals, name, told):
    """A repository's name is a folder of the data folder, so few characters are left."""
    (line,) = refusals(REPO.replace("lake", name, 1))
    assert told in line


@pytest.mark.parametrize(
    "path",
    [
        "",
        "-x",
        "ext::sh -c id",
        "ssh://-oProxyCommand=x/y",
        "-x:y",
        "ftp://x/y",
        "x@-y:z",
    ],
)
def test_addresses_that_git_must_not_see(refusals, path):
    """A path that git would take for an option or a program is refused."""
    (line,) = refusals(REPO.replace("/srv/lake", path))
    assert "is no path" in line or "is no address that git may use here" in line


def test_a_name_is_taken_once(refusals):
    """Two repositories don't share a name."""
    (line,) = refusals(REPO + REPO.replace("/srv/lake", "/srv/other"))
    assert line == (
        'repo[1].name (repo "lake"): "lake" is the name of repo[0] already; choose '
        "another"
    )


def test_a_repository_is_there_once(refusals, load):
    """Two entries for one repository need prefixes that tell their branches apart."""
    text = REPO + REPO.replace("lake", "lake2", 1).replace("/srv/", "/srv/x/../")
    (line,) = refusals(text)
    assert line == (
        'repo[1].path (repo "lake2"): "/srv/lake" is that of repo[0]; choose another '
        "prefix"
    )
    assert len(load(text + 'prefix = "other"\n').settings.repo) == 2


def test_the_local_forge_needs_a_base(refusals):
    """Without `base`, the local forge has no branch to work for."""
    (line,) = refusals(REPO.replace('base = "main"', ""))
    assert line == (
        'repo[0].base (repo "lake"): is missing: the local forge needs a branch, like '
        'base = "main"'
    )


def test_a_required_key_says_what_it_is_for(refusals):
    """A key that is missing is told with its meaning."""
    (line,) = refusals('[[repo]]\nname = "lake"\nbase = "main"\n')
    assert line == (
        'repo[0].path (repo "lake"): is missing: A checkout, a bare repository or a URL '
        "that git understands."
    )


@pytest.mark.parametrize(
    "secret",
    [
        TOKEN,
        "github_pat_" + "a1_" * 10,
        "glpat-" + "a1" * 10,
        "sk-proj-" + "a1B2" * 8,
        "sk-ant-api03-" + "a1B2" * 8,
        "AIza" + "a1" * 18,
        "AKIA" + "A1" * 8,
        "xoxb-" + "1234567890" * 2,
        "npm_" + "a1B2" * 9,
        "pypi-AgE" + "a1" * 20,
        "hf_" + "a1B2" * 9,
        "eyJ" + "a1" * 10 + ".eyJ" + "a1" * 10 + ".x",
        "-----BEGIN RSA PRIVATE KEY-----",
    ],
)
def test_secrets_are_refused_and_not_repeated(refusals, secret):
    """A value that looks like a secret is refused, wherever it stands, and not shown."""
    text = f'{REPO}[[repo.check]]\nrun = "x"\nenv = {{ A = "say {secret} now" }}\n'
    (line,) = refusals(text)
    assert line.startswith('repo[0].check[0].env.A (repo "lake"): holds a')
    assert HINT in line
    assert secret not in line


def test_a_secret_is_not_shown_by_other_complaints(refusals):
    """A secret in a key, an unknown key's value or a wrong place is never repeated."""
    text = f'{TOKEN} = 1\ntoken = "{TOKEN}"\ntimezone = "{TOKEN}"\nrepo = ["{TOKEN}"]\n'
    lines = refusals(text)
    assert [HINT in line for line in lines] == [True] * 4
    assert TOKEN not in "\n".join(lines)


def test_a_password_in_an_address_is_a_secret(refusals):
    """An address with a password is refused in the file; one with a name alone is not."""
    text = REPO.replace("/srv/lake", "https://me:hunter2@example.org/x")
    (line,) = refusals(text)
    assert "holds a password" in line
    assert "hunter2" not in line


def test_a_variable_may_hold_a_password(load, refusals):
    """The environment is the place for secrets, but they are not shown from there."""
    url = "http://me:hunter2@127.0.0.1/x"
    assert url == load("", {"BOT_OBSERVER__URL": url}).settings.observer.url
    (line,) = refusals("", {"BOT_OBSERVER__URL": url + " x"})
    assert line.startswith('BOT_OBSERVER__URL: observer.url: "***" is no web address')


@pytest.mark.parametrize(
    "text",
    [
        "task-list-of-2026-november-meeting",
        "sk-learn-based-feature-selection",
        "https://me@example.org/x",
        "postgres://test:test@127.0.0.1/db",
    ],
)
def test_what_only_looks_a_little_like_a_secret_passes(load, text):
    """Words with dashes, names in addresses and test databases are no secrets."""
    check = f'[[repo.check]]\nrun = "x"\nenv = {{ A = "{text}" }}\n'
    assert text == load(REPO + check).settings.repo[0].check[0].env["A"]


def test_long_values_are_shown_cut(refusals):
    """A long value does not flood the line."""
    (line,) = refusals(f'timezone = "{"x" * 500}"')
    assert line.startswith('timezone: "' + "x" * 59 + '…" is no time zone')


@pytest.mark.parametrize(
    ("data_dir", "path"),
    [
        ("/srv/lake", "/srv/lake"),
        ("/srv", "/srv/lake"),
        ("/srv", "/srv/lake/clone.git"),
    ],
)
def test_the_data_folder_is_no_repository(refusals, data_dir, path):
    """The bot's own files and the person's repository never share a folder."""
    text = f'data_dir = "{data_dir}"\n' + REPO.replace("/srv/lake", path)
    (line,) = refusals(text)
    assert "is where the bot keeps its own files; choose another data_dir" in line


def test_the_data_folder_is_not_the_machine(refusals):
    """`/` is no data folder."""
    (line,) = refusals('data_dir = "/"')
    assert (
        line == 'data_dir: "/" is the whole machine; write a folder of the bot\'s own'
    )


def test_a_home_is_no_tool(refusals, tmp_path):
    """A folder that holds a home is not shown to untrusted code."""
    env = {"HOME": str(tmp_path / "home" / "me")}
    (line,) = refusals(f'[sandbox]\ntools = ["{tmp_path}/home"]', env)
    assert "would show a home or the data folder to untrusted code" in line


def test_each_tilde_that_means_nothing_is_told(refusals):
    """`~someone`, and `~` without HOME, are mistakes of their keys."""
    text = f'data_dir = "~/x"\n[sandbox]\ntools = ["~me/x"]\n{REPO}'
    lines = refusals(text.replace("/srv", "~"))
    assert [line.split(":")[0] for line in lines] == [
        "sandbox.tools[0]",
        'repo[0].path (repo "lake")',
        "data_dir",
    ]


def test_silence_may_be_longer_than_the_timeout(load):
    """A silence that never ends a run is no mistake."""
    text = f'{REPO}[[repo.check]]\nrun = "x"\ntimeout = "1m"\nsilence = "2m"\n'
    check = load(text).settings.repo[0].check[0]
    assert (check.timeout, check.silence) == (60.0, 120.0)


def test_a_refusal_without_words_of_ours_is_passed_on():
    """What the model says of a kind that we don't reword still reaches the person."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(bytes).validate_python(5)
    assert list(problems_of(caught.value)) == [
        Problem((), "5 Input should be a valid bytes")
    ]
