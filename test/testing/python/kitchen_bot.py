"""A bot as its author would write it, with stock discord.py. It does the same as ../kitchen-bot.ts, and more."""

import datetime

import discord
from discord import app_commands

DISHES = ["Onion tart", "Omelette", "Ratatouille"]


class Join(discord.ui.View):
    @discord.ui.button(label="Me too", custom_id="join")
    async def join(self, interaction, _button):
        content = f"{interaction.message.content}, {interaction.user.name}"
        await interaction.response.edit_message(content=content)


class Order(discord.ui.Modal, title="Order"):
    dish = discord.ui.TextInput(label="Dish")

    async def on_submit(self, interaction):
        await interaction.response.send_message(f"Ordered: {self.dish.value}")


class KitchenBot(discord.Client):
    def __init__(self):
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(intents=intents)
        self.tree = app_commands.CommandTree(self)
        add_commands(self.tree)

    async def setup_hook(self):
        await self.tree.sync()

    async def on_message(self, message):
        if message.content == "ping":
            await message.reply("pong")


def add_commands(tree):
    @tree.command(description="Suggest a dish")
    async def lunch(interaction, dish: str):
        await interaction.response.send_message(f"{dish}: {interaction.user.name}", view=Join(timeout=None))

    @lunch.autocomplete("dish")
    async def dishes(_interaction, current):
        return [app_commands.Choice(name=dish, value=dish) for dish in DISHES if current.lower() in dish.lower()]

    @tree.context_menu(name="lunch")
    async def invite(interaction, member: discord.Member):
        await interaction.response.send_message(f"Lunch, {member.name}?")

    @tree.command(description="Order with a form")
    async def order(interaction):
        await interaction.response.send_modal(Order())

    @tree.command(description="Only for you")
    async def secret(interaction):
        await interaction.response.send_message("psst", ephemeral=True)

    @tree.command(description="Takes a while")
    async def bake(interaction):
        await interaction.response.defer()
        await interaction.edit_original_response(content="Baked.")

    @tree.command(description="Time a member out")
    async def mute(interaction, member: discord.Member):
        await member.timeout(datetime.timedelta(minutes=1))
        await interaction.response.send_message(f"{member.name} is quiet.")
