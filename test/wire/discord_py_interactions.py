"""Parses a guild and interactions from standard input with an unmodified discord.py and prints the results as JSON."""
import json
import sys

import discord
from discord import app_commands

given = json.load(sys.stdin)
client = discord.Client(intents=discord.Intents.all())
tree = app_commands.CommandTree(client)
state = client._connection


def plain(value):
    """Returns the type and name of a resolved value."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    return [type(value).__name__, getattr(value, "name", None) or getattr(value, "content", None)]


@tree.command(name="all")
async def all_options(interaction, who: discord.Member, role: discord.Role, where: app_commands.AppCommandChannel):
    pass


state.parse_guild_create(given["guild"])
made = []
for data in given["interactions"]:
    interaction = discord.Interaction(data=data, state=state)
    made.append(
        {
            "type": interaction.type.value,
            "user": [type(interaction.user).__name__, interaction.user.name],
            "channel": str(interaction.channel),
            "guild": interaction.guild.name,
            "administrator": interaction.permissions.administrator,
            "app_may_send": interaction.app_permissions.send_messages,
            "namespace": {name: plain(value) for name, value in interaction.namespace},
            "message": plain(interaction.message),
            "resolved": [
                plain(value)
                for value in app_commands.Namespace._get_resolved_items(
                    interaction, interaction.data.get("resolved", {})
                ).values()
            ],
        }
    )
print(json.dumps(made))
