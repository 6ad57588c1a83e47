"""A stock discord.py bot: writes READY, RESUMED and the contents of messages to standard output, until it is stopped."""
import os

import discord
import yarl
from discord.http import Route

origin = os.environ["ORIGIN"]
Route.BASE = origin + "/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["GATEWAY"])

client = discord.Client(intents=discord.Intents.all())


@client.event
async def on_socket_event_type(event_type):
    if event_type in ("READY", "RESUMED"):
        print(event_type, flush=True)


@client.event
async def on_message(message):
    print(message.content, flush=True)


client.run(os.environ["BOT_TOKEN"], log_handler=None)
