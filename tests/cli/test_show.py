"""`gen show --graph` of generators and of datasets."""

OPTIONS = ("--k", "3", "--noise", "supporting")


def test_graphs_of_a_generator_and_of_a_dataset_are_the_same(gen) -> None:
    made = gen("show", "clutrr", *OPTIONS, "--graph", "-n", 2)
    assert made.returncode == 0, made.stderr
    assert made.stdout.count("╌╌ ") == 2
    assert "(supporting)" in made.stdout
    assert "noise_facts" not in made.stdout
    gen("clutrr", *OPTIONS, "--rows", 2, "--out", "data")
    assert gen("show", "data", "--graph").stdout == made.stdout


def test_nothing_is_cut_on_a_narrow_terminal(gen) -> None:
    drawn = gen("show", "clutrr", *OPTIONS, "--graph", "-n", 5, COLUMNS="60").stdout
    assert drawn.count("(supporting)") == 5
    assert "…" not in drawn


def test_mistakes_are_one_line(gen) -> None:
    for words, said in [
        (("comparatives", "--graph"), "rows of comparatives have no graph; leave out --graph"),
    ]:
        run = gen("show", *words)
        assert run.returncode == 2
        assert said in run.stderr
        assert run.stderr.count("\n") == 1


def test_irrelevant_columns_are_not_shown(gen) -> None:
    shown = gen("show", "clutrr", "--k", 2, "-n", 1).stdout
    assert "proof" in shown
    assert "so " in shown
    assert "proof_depth" not in shown
    assert "verdict" in gen("show", "clutrr", "--k", 2, "-n", 1, "--json").stdout
