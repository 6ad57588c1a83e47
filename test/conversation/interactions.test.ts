import { MessageFlags, MessageType } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noDiscordPy, PYTHON } from '../harness/discord-py.js';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { expectReference } from '../harness/reference.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { type ChannelEvents, subscribe } from '../harness/subscriptions.js';
import { type RunningProgram, startProgram } from './programs.js';

const LIBRARIES = {
  'discord.js': { program: process.execPath, script: 'bots/interactions/discord_js.js', missing: null },
  'oceanic.js': { program: process.execPath, script: 'bots/interactions/oceanic.js', missing: null },
  'discord.py': { program: PYTHON, script: 'bots/interactions/discord_py.py', missing: noDiscordPy },
} as const;

/** Unknown to discord.py 2.2, the version in Debian. */
const NEWER_THAN_DISCORD_PY = ['report', 'panel'];

const EVERYWHERE = 'Greet Quote choose echo files find form game gone later panel refused report'.split(' ');

let server: TestServer;
let ada: Person;
let grace: Person;
let guild: MadeGuild;
let roleId: string;

/** A new server for each library, because the rate limits of users apply. */
async function openWorld(): Promise<void> {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  [ada, grace] = [await signUp(server, 'ada'), await signUp(server, 'grace')];
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, grace);
  const { createRole } = await ada.graphql(
    `mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }`,
    { input: { guildId: guild.id, name: 'red' } },
  );
  roleId = createRole.role.id;
}

for (const [library, { program, script, missing }] of Object.entries(LIBRARIES)) {
  const knows = (name: string) => library !== 'discord.py' || !NEWER_THAN_DISCORD_PY.includes(name);
  const named = (test: string, name: string) => needing(knows(name) ? null : `this ${library} does not know it`, test);

  const tags = library === 'discord.js' ? [] : ['slow'];

  describe.skipIf(missing)(needing(missing, library), { tags }, () => {
    let application: MadeApplication;
    let bot: RunningProgram;
    let commands: Map<string, string>;
    let seen: ChannelEvents;
    let seenByGrace: ChannelEvents;

    beforeAll(async () => {
      await openWorld();
      application = await createApplication(ada, `Bot of ${library}`);
      await install(ada, application, guild);
      const env = { API_URL: `${server.origin}/api`, BOT_TOKEN: application.botToken, GUILD_ID: guild.id };
      bot = await startProgram({ program, script, env });
      seen = await subscribe(server, ada, guild.textChannelId);
      seenByGrace = await subscribe(server, grace, guild.textChannelId);
      commands = new Map([...(await registered()), ...(await registered(guild.id))].map(({ name, id }) => [name, id]));
    });
    afterAll(async () => {
      await bot?.stop();
      await Promise.all([seen?.close(), seenByGrace?.close()]);
      await server?.stop();
    });

    async function registered(guildId?: string): Promise<{ name: string; id: string; options: Loose }[]> {
      const { application: one } = await ada.graphql(
        `query ($id: ID!, $guildId: ID) { application(id: $id) { commands(guildId: $guildId) { id name options } } }`,
        { id: application.id, guildId },
      );
      return one.commands;
    }

    async function ask(mutation: string, type: string, input: object): Promise<string> {
      const answer = await bot.unlessItEnds(
        ada.graphql(
          `mutation ($input: ${type}!) { sent: ${mutation}(input: $input) { interaction { id state failure } } }`,
          { input },
        ),
      );
      const { id, state, failure } = answer.sent.interaction;
      expect(['DELIVERED_GATEWAY', 'DEFERRED', 'ANSWERED'], failure).toContain(state);
      return id;
    }

    const invoke = (name: string, more: object = {}) =>
      ask('invokeCommand', 'InvokeCommandInput', {
        channelId: guild.textChannelId,
        commandId: commands.get(name),
        ...more,
      });
    const use = (messageId: string, customId: string, values?: string[]) =>
      ask('useComponent', 'UseComponentInput', { channelId: guild.textChannelId, messageId, customId, values });
    const submit = (interactionId: string, components: object[]) =>
      ask('submitModal', 'SubmitModalInput', { interactionId, components });

    async function sees(type: string, events = seen): Promise<Loose> {
      const { data } = await bot.unlessItEnds(events.next((event) => event.type === type));
      if (type !== 'MESSAGE_DELETE') expectReference('MessageResponse', data);
      return data;
    }
    const seesMessage = () => sees('MESSAGE_CREATE');
    const seesEdit = () => sees('MESSAGE_UPDATE');

    /** The modal that the user gets, once the bot is ready for its submission. */
    async function modalOf(interactionId: string, name: string): Promise<Loose> {
      await bot.says(name);
      const { interaction } = await ada.graphql(`query ($id: ID!) { interaction(id: $id) { modal } }`, {
        id: interactionId,
      });
      return interaction.modal;
    }

    /** The id of the message that answered a command, once the bot is ready for uses of its components. */
    async function answerTo(name: string): Promise<string> {
      await invoke(name);
      const { id } = await seesMessage();
      await bot.says(name);
      return id;
    }

    it('registers commands, everywhere and in one server', async () => {
      const names = (list: { name: string }[]) => list.map(({ name }) => name).sort();
      expect(names(await registered())).toEqual(EVERYWHERE.filter(knows));
      expect(names(await registered(guild.id))).toEqual(['here']);
    });

    it('reads options and the objects of their ids', async () => {
      const given = { text: 'hello', count: 3, who: grace.id, role: roleId, where: guild.textChannelId };
      const interactionId = await invoke('echo', {
        options: Object.entries(given).map(([name, value]) => ({ name, value })),
      });
      expect(await seesMessage()).toMatchObject({
        content: 'hello 3 grace red general',
        type: MessageType.ChatInputCommand,
        author: { id: application.id, bot: true },
        application_id: application.id,
        interaction_metadata: { id: interactionId, type: 2, user: { id: ada.id } },
      });
    });

    it('reads subcommands', async () => {
      const start = { name: 'start', type: 1, options: [{ name: 'level', value: 'hard' }] };
      await invoke('game', { options: [{ name: 'round', type: 2, options: [start] }] });
      expect(await seesMessage()).toMatchObject({ content: 'round start hard' });
    });

    it('responds to one user only, in the server in which it registered the command', async () => {
      await invoke('here');
      expect(await seesMessage()).toMatchObject({ content: 'here', flags: MessageFlags.Ephemeral });
    });

    it('defers, edits, follows up and deletes', async () => {
      const interactionId = await invoke('later');
      const answer = await seesMessage();
      expect(answer).toMatchObject({ content: '', flags: MessageFlags.Loading });
      expect(await seesEdit()).toMatchObject({ id: answer.id, content: 'done', flags: 0 });
      const whisper = await seesMessage();
      expect(whisper).toMatchObject({ content: 'whisper', flags: MessageFlags.Ephemeral });
      const more = await seesMessage();
      expect(more).toMatchObject({
        content: 'more',
        attachments: [{ filename: 'more.txt' }],
        message_reference: { message_id: answer.id },
      });
      expect(await seesEdit()).toMatchObject({ id: more.id, content: 'more than that' });
      expect(await sees('MESSAGE_DELETE')).toMatchObject({ id: whisper.id });
      const { interaction } = await ada.graphql(`query ($id: ID!) { interaction(id: $id) { state message { id } } }`, {
        id: interactionId,
      });
      expect(interaction).toEqual({ state: 'ANSWERED', message: { id: answer.id } });
      const others = [];
      while (others.at(-1) !== more.id) others.push((await sees('MESSAGE_CREATE', seenByGrace)).id);
      expect(others).toContain(answer.id);
      expect(others).not.toContain(whisper.id);
    });

    it('sends files, and adds one in an edit', async () => {
      await invoke('files');
      expect((await seesMessage()).attachments).toMatchObject([{ filename: 'one.txt' }]);
      const { content, attachments } = await seesEdit();
      expect(content).toBe('two');
      expect(attachments).toMatchObject([{ filename: 'one.txt' }, { filename: 'two.txt' }]);
      const texts = attachments.map(async ({ url }: { url: string }) => (await fetch(url)).text());
      expect(await Promise.all(texts)).toEqual(['first', 'second']);
    });

    it('gets uses of buttons, and updates their message, at once or later', async () => {
      const id = await answerTo('form');
      await use(id, 'change');
      expect(await seesEdit()).toMatchObject({ id, content: 'changed' });
      await use(id, 'quiet');
      expect(await seesEdit()).toMatchObject({ id, content: 'quietly changed' });
      await use(id, 'remove');
      expect(await sees('MESSAGE_DELETE')).toMatchObject({ id });
    });

    it('asks for texts in a modal, and responds with an update of the message that opened it', async () => {
      const id = await answerTo('form');
      const asked = await use(id, 'ask');
      expect(await modalOf(asked, 'ask')).toMatchObject({ custom_id: 'question', title: 'A question' });
      await submit(asked, [{ type: 1, components: [{ type: 4, custom_id: 'why', value: 'of rain' }] }]);
      expect(await seesEdit()).toMatchObject({ id, content: 'because of rain' });
    });

    it('gets the selected values of each kind of select', async () => {
      const id = await answerTo('choose');
      await use(id, 'string', ['b', 'a']);
      expect(await seesEdit()).toMatchObject({ id, content: 'string b,a' });
      const answered = async (customId: string, ...values: string[]) => {
        await use(id, customId, values);
        const { content, message_reference: origin } = await seesMessage();
        expect(origin.message_id).toBe(id);
        return content;
      };
      expect(await answered('user', grace.id)).toBe('user grace');
      expect(await answered('role', roleId)).toBe('role red');
      expect(await answered('mentionable', grace.id, roleId)).toBe('mentionable grace red');
      expect(await answered('channel', guild.voiceChannelId)).toBe('channel General');
    });

    it('offers choices while a user types', async () => {
      const { autocompleteCommand } = await bot.unlessItEnds(
        ada.graphql(`mutation ($input: InvokeCommandInput!) { autocompleteCommand(input: $input) { choices } }`, {
          input: {
            channelId: guild.textChannelId,
            commandId: commands.get('find'),
            options: [{ name: 'what', value: 'he', focused: true }],
          },
        }),
      );
      expect(autocompleteCommand.choices).toEqual([{ name: 'he!', value: 'HE' }]);
    });

    it('gets the target of a context menu command', async () => {
      await invoke('Greet', { targetId: grace.id });
      expect(await seesMessage()).toMatchObject({
        content: 'Hello, grace',
        type: MessageType.ContextMenuCommand,
        flags: MessageFlags.Ephemeral,
      });
      const targetId = await sendMessage(grace, guild.textChannelId, 'to be or not');
      await seesMessage();
      await invoke('Quote', { targetId });
      expect(await seesMessage()).toMatchObject({ content: '> to be or not' });
    });

    it('deletes a response', async () => {
      await invoke('gone');
      const { id } = await seesMessage();
      expect(await sees('MESSAGE_DELETE')).toMatchObject({ id });
    });

    it('gets the errors of an invalid response, and may send a better one', async () => {
      await invoke('refused');
      expect(await seesMessage()).toMatchObject({ content: '400 50035 content' });
    });

    it.runIf(knows('report'))(named('asks for more than texts in a modal', 'report'), async () => {
      const asked = await invoke('report');
      const { components } = await modalOf(asked, 'report');
      expect(components.map(({ type }: { type: number }) => type)).toEqual(expect.arrayContaining([18, 18, 18]));
      await submit(asked, [
        { type: 18, component: { type: 4, custom_id: 'what', value: 'noise' } },
        { type: 18, component: { type: 5, custom_id: 'who', values: [grace.id] } },
        { type: 18, component: { type: 3, custom_id: 'how', values: ['very'] } },
      ]);
      expect(await seesMessage()).toMatchObject({ content: 'noise grace very' });
    });

    it.runIf(knows('panel'))(named('lays a message out in a container, and changes it', 'panel'), async () => {
      await invoke('panel');
      const { id, components, flags } = await seesMessage();
      expect(flags).toBe(MessageFlags.IsComponentsV2);
      expect(components).toMatchObject([
        { type: 17, components: [{ type: 10, content: 'Closed' }, { type: 14 }, { type: 9 }] },
      ]);
      await use(id, 'press');
      const edited = await seesEdit();
      expect(edited).toMatchObject({ id, components: [{ components: [{ content: 'Open' }, {}, {}] }] });
    });
  });
}
