# The bot of interactions.test.ts with stock discord.py.
import io
import os
import sys
import traceback

import discord
import yarl
from discord import app_commands, ui

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(
    os.environ["API_URL"].replace("http", "ws").removesuffix("/api") + "/gateway"
)
GUILD = discord.Object(id=int(os.environ["GUILD_ID"]))

client = discord.Client(intents=discord.Intents(guilds=True))
tree = app_commands.CommandTree(client)


def text_file(name, content):
    return discord.File(io.BytesIO(content.encode()), filename=name)


def fail(error):
    traceback.print_exception(error)
    sys.stderr.flush()
    os._exit(1)


# discord.py knows views and modals once their response was accepted. Those whose name is printed may be used from then on.


class Failing:
    """Ends the program after an error that discord.py would only log."""

    async def on_error(self, interaction, error, *_item):
        fail(error)


@tree.error
async def on_tree_error(interaction, error):
    fail(error)


@tree.command(description="Tries echo")
async def echo(
    interaction,
    text: app_commands.Range[str, 1, 100],
    count: app_commands.Range[int, 1],
    who: discord.Member,
    role: discord.Role,
    where: app_commands.AppCommandChannel,
):
    await interaction.response.send_message(f"{text} {count} {who.name} {role.name} {where.name}")
    original = await interaction.original_response()
    assert original.content.startswith(text), original


game = app_commands.Group(name="game", description="Tries game")
rounds = app_commands.Group(name="round", description="Rounds", parent=game)
tree.add_command(game)


@rounds.command(description="Starts one")
@app_commands.choices(level=[app_commands.Choice(name="Hard", value="hard")])
async def start(interaction, level: app_commands.Choice[str]):
    await interaction.response.send_message(f"round start {level.value}")


@tree.command(description="Tries find")
async def find(interaction, what: str):
    await interaction.response.send_message(what)


@find.autocomplete("what")
async def offer(interaction, typed: str):
    return [app_commands.Choice(name=f"{typed}!", value=typed.upper())]


@tree.command(description="Tries here", guild=GUILD)
async def here(interaction):
    await interaction.response.send_message("here", ephemeral=True)


@tree.command(description="Tries later")
async def later(interaction):
    await interaction.response.defer(thinking=True)
    await interaction.edit_original_response(content="done")
    whisper = await interaction.followup.send("whisper", ephemeral=True, wait=True)
    assert whisper.flags.ephemeral
    more = await interaction.followup.send("more", file=text_file("more.txt", "more"), wait=True)
    await more.edit(content="more than that")
    await whisper.delete()
    assert (await interaction.original_response()).content == "done"
    assert (await interaction.followup.fetch_message(more.id)).content == "more than that"


@tree.command(description="Tries files")
async def files(interaction):
    await interaction.response.send_message("one", file=text_file("one.txt", "first"))
    message = await interaction.original_response()
    kept = message.attachments
    await interaction.edit_original_response(content="two", attachments=[*kept, text_file("two.txt", "second")])


class Question(Failing, ui.Modal, title="A question"):
    why = ui.TextInput(label="Why", custom_id="why")
    more = ui.TextInput(label="More", custom_id="more", style=discord.TextStyle.paragraph, required=False)

    async def on_submit(self, interaction):
        await interaction.response.edit_message(content=f"because {self.why.value}{self.more.value}")


class Form(Failing, ui.View):
    @ui.button(label="change", custom_id="change")
    async def change(self, interaction, button):
        await interaction.response.edit_message(content="changed")

    @ui.button(label="quiet", custom_id="quiet")
    async def quiet(self, interaction, button):
        await interaction.response.defer()
        await interaction.edit_original_response(content="quietly changed")

    @ui.button(label="ask", custom_id="ask")
    async def ask(self, interaction, button):
        await interaction.response.send_modal(Question(custom_id="question"))
        print("ask", flush=True)

    @ui.button(label="remove", custom_id="remove", style=discord.ButtonStyle.danger)
    async def remove(self, interaction, button):
        await interaction.response.defer()
        await interaction.delete_original_response()


class Choose(Failing, ui.View):
    @ui.select(
        custom_id="string",
        max_values=2,
        options=[discord.SelectOption(label="A", value="a"), discord.SelectOption(label="B", value="b")],
    )
    async def string(self, interaction, select):
        await interaction.response.edit_message(content=f"string {','.join(select.values)}")

    @ui.select(cls=ui.UserSelect, custom_id="user")
    async def user(self, interaction, select):
        assert isinstance(select.values[0], discord.Member)
        await interaction.response.send_message(f"user {select.values[0].name}")

    @ui.select(cls=ui.RoleSelect, custom_id="role")
    async def role(self, interaction, select):
        await interaction.response.send_message(f"role {select.values[0].name}")

    @ui.select(cls=ui.MentionableSelect, custom_id="mentionable", max_values=2)
    async def mentionable(self, interaction, select):
        names = sorted(value.name for value in select.values)
        await interaction.response.send_message(f"mentionable {' '.join(names)}")

    @ui.select(cls=ui.ChannelSelect, custom_id="channel")
    async def channel(self, interaction, select):
        await interaction.response.send_message(f"channel {select.values[0].name}")


@tree.command(description="Tries form")
async def form(interaction):
    await interaction.response.send_message("form", view=Form())
    print("form", flush=True)


@tree.command(description="Tries choose")
async def choose(interaction):
    await interaction.response.send_message("choose", view=Choose())
    print("choose", flush=True)


@tree.command(description="Tries refused")
async def refused(interaction):
    try:
        await interaction.response.send_message("x" * 5000)
    except discord.HTTPException as fault:
        place = fault.text.split("\n")[1].split(":")[0].removeprefix("In data.")
        await interaction.response.send_message(f"{fault.status} {fault.code} {place}")


@tree.command(description="Tries gone")
async def gone(interaction):
    await interaction.response.send_message("soon gone")
    await interaction.delete_original_response()


@tree.context_menu(name="Greet")
async def greet(interaction, member: discord.Member):
    await interaction.response.send_message(f"Hello, {member.name}", ephemeral=True)


@tree.context_menu(name="Quote")
async def quote(interaction, message: discord.Message):
    await interaction.response.send_message(f"> {message.content}")


@client.event
async def setup_hook():
    try:
        first = {command.name: command.id for command in await tree.sync()}
        again = {command.name: command.id for command in await tree.sync()}
        assert first == again, "commands keep their ids"
        assert {command.name: command.id for command in await tree.fetch_commands()} == first
        local = await tree.sync(guild=GUILD)
        assert [command.name for command in local] == ["here"]
    except Exception as error:
        fail(error)


@client.event
async def on_ready():
    print("online", flush=True)


client.run(os.environ["BOT_TOKEN"])
