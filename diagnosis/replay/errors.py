"""What is wrong with an incident folder, where, in one sentence."""


class BadIncident(ValueError):
    """``file`` (and ``line``, from 1, where there is one) of what cannot be read, and a sentence that says why."""

    def __init__(self, file: str, sentence: str, *, line: int | None = None) -> None:
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {sentence}")
        self.file = file
        self.line = line
        self.sentence = sentence
