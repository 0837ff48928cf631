"""The files of a commit: what is listed, read, ranked, and read again after a change."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gitground import Person

from bot.errors import Deferred, GitFailed
from bot.store.search import Search
from bot.workspace.corpus import MAX_FILE_BYTES, Corpus, SourceFile
from bot.workspace.git import Git
from bot.workspace.gitconfig import GitEnv

FILES: dict[str, str | bytes | None] = {
    "src/lease.py": "class Lease:\n    def renew(self): ...\n",
    "src/money.py": "LIMIT = 3\ndef settle(call):\n    return call\n",
    "docs/orders.md": "# 历史订单\n\n用户可以搜索历史订单并导出\n",
    "docs/login.md": "# ログイン\n\nユーザーはログインできる\n",
}


@pytest.fixture
def person(new_person: Callable[..., Person]) -> Person:
    """Return a repository with a few files, at its first commit."""
    made = new_person()
    made.commit(FILES)
    return made


@pytest.fixture
def search(data_dir: Path) -> Iterator[Search]:
    """Return the repository's rows."""
    made = Search(data_dir / "r" / "cache" / "search.sqlite3")
    yield made
    made.close()


def corpus_of(person: Person, search: Search, env: GitEnv) -> Corpus:
    """Return a corpus as a new process has it."""
    return Corpus(Git(person.path / ".git", env), search)


@pytest.fixture
def corpus(person: Person, search: Search, git_env: GitEnv) -> Corpus:
    """Return the repository's corpus."""
    return corpus_of(person, search, git_env)


def test_lists_regular_files(corpus: Corpus, person: Person) -> None:
    """Files have path, blob and size; symlinks and submodules are none."""
    (person.path / "link").symlink_to("src")
    there = f"160000,{person.tip()},sub"
    person.git("update-index", "--add", "--cacheinfo", there)
    person.git("add", "link")
    person.git("commit", "-q", "-m", "more")
    blob = person.git("rev-parse", "HEAD:src/money.py")

    snapshot = corpus.at(person.tip())

    assert tuple(sorted(FILES)) == snapshot.paths()
    assert SourceFile("src/money.py", blob, 44) == snapshot.files[-1]
    assert 44 == snapshot.size("src/money.py")
    assert snapshot.size("link") is None


def test_reads_exact_bytes(corpus: Corpus, person: Person) -> None:
    """A file is read as git stores it, whatever it is called or holds."""
    odd = {"a b\tc\n.txt": b"\xff\0\r\n", "empty": b"", "end": b"x\n\n"}
    snapshot = corpus.at(person.commit(odd))

    assert odd == {path: snapshot.read(path) for path in odd}
    assert snapshot.read("nowhere") is None
    assert snapshot.read("src") is None


def test_names_that_are_no_text(corpus: Corpus, person: Person) -> None:
    """A file whose name is not UTF-8 is listed and read."""
    folder = os.fsencode(person.path)
    with open(folder + b"/caf\xe9.txt", "wb") as file:  # noqa: PTH123 - a path of bytes
        file.write(b"latin\n")
    sha = person.commit({})

    assert b"latin\n" == corpus.at(sha).read("caf\udce9.txt")


def test_ranks_contents_and_names(corpus: Corpus, person: Person) -> None:
    """A text finds the file that holds its words or is called by them."""
    sha = person.tip()

    assert "src/lease.py" == corpus.rank("renew a stale lease", sha, 5)[0]
    assert "src/money.py" == corpus.rank("The limit of money", sha, 5)[0]
    assert () == corpus.rank("of the", sha, 5)
    assert 1 == len(corpus.rank("lease settle orders", sha, 1))


def test_names_by_their_parts(corpus: Corpus, person: Person) -> None:
    """A word counts where a part of a name begins with it, not anywhere inside."""
    sha = person.commit({"src/release.py": "", "src/loadLeaseFile.py": ""})

    found = corpus.rank("lease", sha, 9)

    assert {"src/lease.py", "src/loadLeaseFile.py"} == set(found)


def test_ranks_text_without_spaces(corpus: Corpus, person: Person) -> None:
    """Chinese and Japanese gaps find files in their language."""
    sha = person.tip()

    assert "docs/orders.md" == corpus.rank("允许导出历史订单", sha, 5)[0]
    assert "docs/login.md" == corpus.rank("ログインを記録する", sha, 5)[0]


def test_symbols(corpus: Corpus, person: Person) -> None:
    """A file's top-level names are known without reading it again."""
    snapshot = corpus.at(person.tip())

    assert ("LIMIT", "settle") == snapshot.symbols("src/money.py")
    assert ("历史订单",) == snapshot.symbols("docs/orders.md")
    assert () == snapshot.symbols("nowhere")


def imported(person: Person, files: dict[str, str | None], number: int) -> str:
    """Commit many files on top of main without a working tree; None deletes."""
    said = [f"commit refs/heads/main\ncommitter A <a@example.org> {number} +0000"]
    said += ["data 1\nm\nfrom refs/heads/main^0"]
    for path, text in files.items():
        put = f"M 100644 inline {path}\ndata {len(text or '')}\n{text}"
        said.append(f"D {path}" if text is None else put)
    person.git("fast-import", "--quiet", data="\n".join((*said, "")).encode())
    return person.tip("main")


def test_only_changed_blobs_are_read_again(
    person: Person, search: Search, git_env: GitEnv
) -> None:
    """Of 10,000 files a new base reads those that changed, in a new process too."""
    many: dict[str, str | None] = {
        f"d{n % 100}/f{n}.py": f"def made_{n}(): return {n}\n" for n in range(10_000)
    }
    first = corpus_of(person, search, git_env)
    first.rank("made", imported(person, many, 1), 1)
    assert 10_000 + len(FILES) == first.blobs_read
    changed = {path: f"def altered_{n}(): ...\n" for n, path in enumerate([*many][:20])}
    sha = imported(person, {**changed, "d50/f50.py": None}, 2)

    again = corpus_of(person, search, git_env)
    found = again.rank("altered", sha, 50)

    assert 20 == again.blobs_read
    assert set(changed) == set(found)
    assert "d50/f50.py" not in again.rank("made 50", sha, 200)


def test_same_base_reads_nothing(
    person: Person, search: Search, git_env: GitEnv
) -> None:
    """A new process on the same base reads no blob for its rows."""
    corpus_of(person, search, git_env).rank("lease", person.tip(), 5)
    again = corpus_of(person, search, git_env)

    assert "src/lease.py" == again.rank("lease", person.tip(), 5)[0]
    assert 0 == again.blobs_read


def test_renamed_files(corpus: Corpus, person: Person) -> None:
    """A renamed file is found by its new path, without being read again."""
    corpus.rank("lease", person.tip(), 5)
    person.git("mv", "src/lease.py", "src/rent.py")
    person.git("commit", "-q", "-m", "rename")

    assert ("src/rent.py",) == corpus.rank("renew", person.tip(), 5)
    assert len(FILES) == corpus.blobs_read


def test_copies_are_all_found(corpus: Corpus, person: Person) -> None:
    """Files of equal content share a row and are all found."""
    same = FILES["src/lease.py"]
    sha = person.commit({"old/lease.py": same, "new/lease.py": same})

    found = corpus.rank("renew", sha, 5)

    assert {"src/lease.py", "old/lease.py", "new/lease.py"} == set(found)
    assert len(FILES) == corpus.blobs_read


def test_deleted_files_are_gone(corpus: Corpus, person: Person) -> None:
    """A file that the base lost is found no more, and the older commit again has it."""
    old = person.tip()
    corpus.rank("lease", old, 5)
    sha = person.commit({"src/lease.py": None})

    assert () == corpus.rank("lease renew", sha, 5)
    assert ("src/lease.py",) == corpus.rank("lease renew", old, 5)


def test_large_and_binary_files(corpus: Corpus, person: Person) -> None:
    """A file of 2 MB is listed but never read for rows; a binary one has no words."""
    large = b"gigantic words here\n" * 100_000
    sha = person.commit({"big.txt": large, "b.bin": b"gigantic\0words"})

    assert () == corpus.rank("gigantic", sha, 5)
    assert len(FILES) + 1 == corpus.blobs_read
    assert len(large) == corpus.at(sha).size("big.txt")
    assert len(large) > MAX_FILE_BYTES
    assert large == corpus.at(sha).read("big.txt")


def test_what_is_searched_is_told(
    person: Person, search: Search, git_env: GitEnv
) -> None:
    """Files that are not worth a row are not read."""
    git = Git(person.path / ".git", git_env)
    corpus = Corpus(git, search, lambda path, _size: path.endswith(".py"))

    assert "src/lease.py" == corpus.rank("lease", person.tip(), 5)[0]
    assert 2 == corpus.blobs_read


@pytest.mark.parametrize("loss", ["deleted", "corrupt"])
def test_rows_that_are_lost_are_made_again(
    corpus: Corpus, person: Person, search: Search, data_dir: Path, loss: str
) -> None:
    """Rows that vanish or break between two questions are filled again."""
    sha = person.tip()
    corpus.rank("lease", sha, 5)
    file = data_dir / "r" / "cache" / "search.sqlite3"
    if loss == "corrupt":
        search.close()
        content = bytearray(file.read_bytes())
        content[8192:] = b"\x5a" * (len(content) - 8192)
        file.write_bytes(content)
    else:
        for part in file.parent.iterdir():
            part.unlink()

    assert "src/lease.py" == corpus.rank("renew lease", sha, 5)[0]
    assert ("Lease",) == corpus.at(sha).symbols("src/lease.py")
    assert 2 * len(FILES) == corpus.blobs_read


def test_two_repositories_do_not_mix(
    corpus: Corpus,
    person: Person,
    search: Search,
    new_person: Callable[..., Person],
    git_env: GitEnv,
) -> None:
    """Even over the same rows a repository never shows a file of another."""
    other = new_person("other")
    sha = other.commit({"theirs.py": "def renew(): 'lease'\n"})
    theirs = corpus_of(other, search, git_env)

    assert ("src/lease.py",) == corpus.rank("renew lease", person.tip(), 5)
    assert ("theirs.py",) == theirs.rank("renew lease", sha, 5)
    assert ("src/lease.py",) == corpus.rank("renew lease", person.tip(), 5)


def test_memory_is_bounded(corpus: Corpus, person: Person) -> None:
    """More than one process is asked where all files together are very large."""
    lines = b"unusual words\n" * 18_000
    many = {f"f{n}.txt": b"%d\n" % n + lines for n in range(300)}
    sha = person.commit(dict(many))

    assert 60 < sum(map(len, many.values())) / 2**20
    assert 200 == len(corpus.rank("unusual", sha, 999))
    assert len(FILES) + 300 == corpus.blobs_read


def test_blobs_that_are_not_there(corpus: Corpus, person: Person) -> None:
    """A blob that the clone lacks has no row, and reading it says so."""
    sha = person.tip()
    blob = person.git("rev-parse", "HEAD:src/money.py")
    corpus.at(sha)
    (person.path / ".git/objects" / blob[:2] / blob[2:]).unlink()

    assert "src/lease.py" == corpus.rank("lease", sha, 5)[0]
    assert len(FILES) - 1 == corpus.blobs_read
    assert corpus.at(sha).read("src/money.py") is None


def test_ranked_files_are_read_together(corpus: Corpus, person: Person) -> None:
    """What a rank put first is read by one process."""
    sha = person.tip()
    found = corpus.rank("lease settle 历史订单", sha, 5)
    snapshot = corpus.at(sha)
    assert FILES[found[0]] == (snapshot.read(found[0]) or b"").decode()
    git = person.path / ".git"
    git.rename(git.with_name("gone"))

    assert [FILES[p] for p in found] == [
        (snapshot.read(p) or b"").decode() for p in found
    ]


def test_a_commit_that_is_not_there(corpus: Corpus) -> None:
    """An unknown commit is told, not taken for an empty one."""
    with pytest.raises(GitFailed):
        corpus.at("0" * 40)


def test_a_locked_file_defers(
    person: Person, search: Search, data_dir: Path, git_env: GitEnv
) -> None:
    """Rows that another process is writing make the cycle wait its turn."""
    import sqlite3

    corpus_of(person, search, git_env).rank("lease", person.tip(), 5)
    path = data_dir / "r" / "cache" / "search.sqlite3"
    sha = person.commit({"more.py": "x = 1\n"})
    impatient = Search(path, busy_timeout_s=0.01)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    with pytest.raises(Deferred, match="locked"):
        corpus_of(person, impatient, git_env).rank("lease", sha, 5)
    holder.close()
    impatient.close()
