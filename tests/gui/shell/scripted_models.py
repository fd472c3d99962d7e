"""A model for windows whose replies a test hands out piece by piece; everything else is as the program has it."""

from __future__ import annotations

from tavern_desktop.session.generating.model_servers import ModelServers
from tavern_desktop.session.generating.scenes import Asked
from tavern_desktop.session.generating.task import Produce
from tavern_desktop.ui.services import Services
from tests.unit.session.generating.scripted import Scripted


class ScriptedServers(ModelServers):
    """`models` are the replies that were asked for, oldest first."""

    models: list[Scripted]

    @classmethod
    def into(cls, services: Services) -> ScriptedServers:
        """Let all windows of a program use it."""
        made = cls(services.runner, services.folders, services.own_data)
        made.models = []
        services._model_servers = made
        return made

    def produce(self, asked: Asked, count: int = 1) -> Produce:
        model = Scripted()
        model.asked = asked
        self.models.append(model)
        return model.produce
