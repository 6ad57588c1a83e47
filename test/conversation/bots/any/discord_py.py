# A discord.py bot without a configured URL. It registers commands and prints the URL of its avatar.
import os

import discord
from discord import app_commands

client = discord.Client(intents=discord.Intents.none())
tree = app_commands.CommandTree(client)


@tree.command(name="one", description="A command")
async def one(interaction: discord.Interaction):
    await interaction.response.send_message("one")


@client.event
async def on_ready():
    await tree.sync()
    print(f"picture {client.user.display_avatar.url}", flush=True)


client.run(os.environ["BOT_TOKEN"])
