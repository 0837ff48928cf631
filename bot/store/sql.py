"""The index's tables and the questions that a tick asks of them.

Nothing newer than SQLite 3.40. A `WITHOUT ROWID` index ends in the table's key.
"""

VERSION = 1
SCHEMA = (
    """CREATE TABLE state (
        id INTEGER PRIMARY KEY CHECK (id = 1), filled INTEGER NOT NULL
    ) STRICT""",
    "INSERT INTO state VALUES (1, 0)",
    """CREATE TABLE cycles (
        cycle_id TEXT PRIMARY KEY, repo TEXT NOT NULL, triggered_by TEXT NOT NULL,
        slot TEXT, started_at TEXT NOT NULL, ended_at TEXT NOT NULL,
        duration_ms INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL,
        gap_id TEXT, gap_title TEXT, text_hash TEXT, summary TEXT, declined TEXT,
        model_used TEXT, cost_micro_usd INTEGER NOT NULL, pr_url TEXT,
        pr_number INTEGER, commit_sha TEXT, branch TEXT, attempt INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX cycles_repo ON cycles (repo, cycle_id)",
    """CREATE INDEX cycles_worked ON cycles (repo, cycle_id)
        WHERE gap_id IS NOT NULL""",
    "CREATE INDEX cycles_outcome ON cycles (outcome, repo, cycle_id)",
    """CREATE INDEX cycles_gap ON cycles (repo, gap_id, cycle_id)
        WHERE gap_id IS NOT NULL""",
    """CREATE INDEX cycles_attempt ON cycles (repo, gap_id, cycle_id)
        WHERE attempt = 1""",
    "CREATE INDEX cycles_slot ON cycles (repo, slot) WHERE slot IS NOT NULL",
    """CREATE TABLE pulls (
        repo TEXT NOT NULL, number INTEGER NOT NULL, gap_id TEXT NOT NULL,
        cycle_id TEXT NOT NULL, branch TEXT NOT NULL, head_sha TEXT NOT NULL,
        base TEXT NOT NULL, base_sha TEXT NOT NULL, title TEXT NOT NULL,
        url TEXT NOT NULL, state TEXT NOT NULL, created_at TEXT NOT NULL,
        ended_at TEXT, labels TEXT NOT NULL, draft INTEGER NOT NULL,
        PRIMARY KEY (repo, number)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX pulls_gap ON pulls (repo, gap_id, number)",
    "CREATE INDEX pulls_state ON pulls (state, repo, created_at)",
    "CREATE INDEX pulls_created ON pulls (created_at)",
    "CREATE INDEX pulls_repo_created ON pulls (repo, created_at)",
    """CREATE TABLE spend (
        period TEXT, repo TEXT, gap_id TEXT, cycle_id TEXT,
        micro_usd INTEGER NOT NULL, calls INTEGER NOT NULL, tokens INTEGER NOT NULL,
        PRIMARY KEY (period, repo, gap_id, cycle_id)
    ) STRICT, WITHOUT ROWID""",
)

LAST_GAP = """SELECT gap_id FROM cycles WHERE repo = ? AND gap_id IS NOT NULL
    ORDER BY cycle_id DESC LIMIT 1"""
LAST = "SELECT * FROM cycles WHERE repo = ? ORDER BY cycle_id DESC LIMIT 1"
OF_GAP = """SELECT * FROM cycles WHERE repo = ? AND gap_id = ?
    ORDER BY cycle_id DESC LIMIT ?"""
ATTEMPTS = """SELECT * FROM cycles WHERE repo = ? AND attempt = 1
    ORDER BY gap_id DESC, cycle_id DESC"""
ATTEMPTS_OF = """SELECT * FROM cycles WHERE repo = ? AND attempt = 1 AND gap_id = ?
    ORDER BY cycle_id DESC"""
HAS_SLOT = "SELECT 1 FROM cycles WHERE repo = ? AND slot = ? LIMIT 1"
COUNTS = "SELECT outcome, count(*) FROM cycles GROUP BY outcome"
COUNTS_OF = "SELECT count(*) FROM cycles WHERE outcome = ? AND repo = ?"
PULL_OF_GAP = """SELECT * FROM pulls WHERE repo = ? AND gap_id = ?
    ORDER BY number DESC LIMIT 1"""
IDS_AFTER = """SELECT cycle_id FROM cycles WHERE repo = ? AND cycle_id > ?
    ORDER BY cycle_id LIMIT 1000"""
CLEAR = (
    "DELETE FROM cycles",
    "DELETE FROM pulls",
    "DELETE FROM spend",
    "UPDATE state SET filled = 0",
)
