"""What stands in the way of a change: the API answers 409 with the sentence, which names the other row."""

from django.utils.translation import gettext as _


class DocumentConflict(Exception):
    """The change does not fit the present state; ``str()`` says why, for programs with the ids that it is about.

    ``sentence`` is for people: without ids, in the words of the page.
    """

    @property
    def sentence(self) -> str:
        return str(self)


class SameContent(DocumentConflict):
    """Another document of the base holds the very same bytes."""

    def __init__(self, document_id: str, file_name: str) -> None:
        super().__init__(f'The same content is in this knowledge base as "{file_name}" ({document_id}).')
        self.document_id = document_id
        self.file_name = file_name

    @property
    def sentence(self) -> str:
        return _('The same content is in this knowledge base as "%(name)s".') % {"name": self.file_name}


class NameTaken(DocumentConflict):
    """The file name holds other bytes, and overwriting was not asked for."""

    def __init__(self, document_id: str, file_name: str) -> None:
        super().__init__(f'"{file_name}" ({document_id}) has other content. Send overwrite=true to replace it.')
        self.document_id = document_id
        self.file_name = file_name

    @property
    def sentence(self) -> str:
        text = _(
            '"%(name)s" is here already with other content. Tick "Replace a document of the same name" to replace it.'
        )
        return text % {"name": self.file_name}


class ActiveTask(DocumentConflict):
    """The document is being indexed."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"The document has an index task that is not finished: {task_id}.")
        self.task_id = task_id

    @property
    def sentence(self) -> str:
        return _("The document is being indexed. Wait for it, or cancel its job.")


class TaskNotRetryable(DocumentConflict):
    """Only a failed or cancelled task that was not retried yet, of the present content, can be retried."""


class BaseConflict(DocumentConflict):
    """The name is taken, or the default base would go."""
