"""What stands in the way of a change: the API answers 409 with the sentence, which names the other row."""


class DocumentConflict(Exception):
    """The change does not fit the present state; ``str()`` is a sentence for people."""


class SameContent(DocumentConflict):
    """Another document of the base holds the very same bytes."""

    def __init__(self, document_id: str, file_name: str) -> None:
        super().__init__(f'The same content is in this knowledge base as "{file_name}" ({document_id}).')
        self.document_id = document_id


class NameTaken(DocumentConflict):
    """The file name holds other bytes, and overwriting was not asked for."""

    def __init__(self, document_id: str, file_name: str) -> None:
        super().__init__(f'"{file_name}" ({document_id}) has other content. Send overwrite=true to replace it.')
        self.document_id = document_id


class ActiveTask(DocumentConflict):
    """The document is being indexed."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"The document has an index task that is not finished: {task_id}.")
        self.task_id = task_id


class TaskNotRetryable(DocumentConflict):
    """Only a failed or cancelled task that was not retried yet, of the present content, can be retried."""


class BaseConflict(DocumentConflict):
    """The name is taken, or the default base would go."""
