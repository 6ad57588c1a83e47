"""Sends one message over REST with an unmodified discord.py and prints it."""
import asyncio
import os

import discord
from discord.http import Route

Route.BASE = os.environ["ORIGIN"] + "/api/v10"


async def main():
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(os.environ["BOT_TOKEN"])
        channel = client.get_partial_messageable(int(os.environ["CHANNEL_ID"]))
        message = await channel.send("sent from discord.py")
        print(message.content, flush=True)


asyncio.run(main())
