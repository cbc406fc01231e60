"""An app that kills its own worker process, with a real SIGKILL, in the stage that the file ``deadly`` names: once."""
