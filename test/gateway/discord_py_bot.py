"""A stock discord.py bot: says what it sees on standard output, and leaves after one message."""
import os

import discord
import yarl
from discord.http import Route

origin = os.environ["ORIGIN"]
Route.BASE = origin + "/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(origin.replace("http", "ws", 1) + "/gateway")

client = discord.Client(intents=discord.Intents.all())


@client.event
async def on_ready():
    guild = client.get_guild(int(os.environ["GUILD_ID"]))
    print("ready", guild.name, flush=True)
    members = await guild.query_members(user_ids=[client.user.id, guild.owner_id])
    print("members", len(members), flush=True)


@client.event
async def on_message(message):
    print("heard", message.content, flush=True)
    await client.close()


client.run(os.environ["BOT_TOKEN"], log_handler=None)
