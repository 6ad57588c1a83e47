import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Client,
  Events,
  GatewayIntentBits,
  type Interaction,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
} from 'discord.js';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { noBrowser } from '../harness/browser.js';
import { it } from '../harness/fixtures.js';
import { hearing, holdAnswer, holdFile } from '../harness/held-answers.js';
import { PIXEL } from '../harness/images.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { openPortal } from '../harness/portal.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { until } from '../harness/until.js';

let server: TestServer;
let browser: Browser;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
it.beforeAll(async ({ server: shared, browser: chromium }) => {
  server = shared;
  browser = chromium;
  [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, bob);
});

const pathOf = (channelId: string) => `/servers/${guild.id}/channels/${channelId}`;
const messages = (page: Page, text: string) => page.getByRole('log').getByText(text, { exact: true });
const composer = (page: Page) => page.getByLabel(/^Message #/);
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);

async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

describe.skipIf(noBrowser !== null)(needing(noBrowser, 'a channel'), () => {
  it('is created, and opens its empty page', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360 });
    await open(`/servers/${guild.id}/channels`);
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Name').fill('boats');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 2, name: 'boats' }).waitFor();
    await page.getByText('No messages yet.').waitFor();
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows once each message that another browser sends, edits, reacts to or deletes', async () => {
    const [hers, his] = await Promise.all([openPortal(browser, server, ada), openPortal(browser, server, bob)]);
    await Promise.all([hers.open(pathOf(guild.textChannelId)), his.open(pathOf(guild.textChannelId))]);
    const typing = his.page.waitForRequest((request) => request.postData()?.includes('startTyping') ?? false);
    await composer(his.page).fill('one\ntwo');
    await typing;
    // Typing is sent once, and her page may subscribe to the channel only a moment after it opens.
    await until(async () => {
      await bob.graphql('mutation ($id: ID!) { startTyping(input: { channelId: $id }) { channel { id } } }', {
        id: guild.textChannelId,
      });
      return hers.page.getByText('bob is typing…').isVisible();
    });
    await composer(his.page).press('Enter');
    await messages(hers.page, 'one\ntwo').waitFor();
    await say(his.page, '<b>bold</b>');
    await messages(hers.page, '<b>bold</b>').waitFor();
    expect(await messages(his.page, '<b>bold</b>').count()).toBe(1);
    expect(await composer(his.page).inputValue()).toBe('');

    const row = his.page.getByRole('listitem', { name: 'Message from bob' }).last();
    await row.getByRole('button', { name: 'Edit' }).click();
    await his.page.getByLabel('Edit message').fill('italic');
    await his.page.getByLabel('Edit message').press('Enter');
    await messages(hers.page, 'italic').waitFor();
    await hers.page.getByText('(edited)').waitFor();
    expect(await isFocused(row.getByRole('button', { name: 'Edit' }))).toBe(true);

    const theirs = hers.page.getByRole('listitem', { name: 'Message from bob' }).last();
    expect(await theirs.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await theirs.getByRole('button', { name: 'React' }).click();
    const offered = hers.page.getByRole('button', { name: 'React with 👍' });
    await offered.and(hers.page.locator(':focus')).waitFor();
    await hers.page.keyboard.press('Escape');
    await offered.waitFor({ state: 'detached' });
    expect(await isFocused(theirs.getByRole('button', { name: 'React' }))).toBe(true);
    await theirs.getByRole('button', { name: 'React' }).click();
    await hers.page.getByRole('button', { name: 'React with 🎉' }).click();
    expect(await isFocused(theirs.getByRole('button', { name: 'React' }))).toBe(true);
    await his.page.getByRole('button', { name: '🎉, 1' }).click();
    await hers.page.getByRole('button', { name: '🎉, 2', pressed: true }).click();
    await his.page.getByRole('button', { name: '🎉, 1', pressed: true }).waitFor();
    await theirs.getByRole('button', { name: 'React' }).click();
    await hers.page.getByLabel('React with another emoji').fill('🇦');
    await hers.page.getByLabel('React with another emoji').press('Enter');
    await his.page.getByRole('button', { name: '🇦, 1' }).waitFor();

    await row.getByRole('button', { name: 'Delete' }).click();
    await his.page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await messages(hers.page, 'italic').waitFor({ state: 'detached' });
    expect(await messages(his.page, 'italic').count()).toBe(0);
    await until(() => isFocused(his.page.getByRole('log')));
    expect([hers.faults, his.faults]).toEqual([[], []]);
    await Promise.all([hers.close(), his.close()]);
  });

  it('sends files, and keeps text and files that exceed the limits in the field', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(guild.textChannelId));
    await composer(page).fill('𐂂'.repeat(4_001));
    await page.getByText('Your message has 4001 characters. The limit is 4000.').waitFor();
    await composer(page).press('Enter');
    expect((await composer(page).inputValue()).length).toBe(8_002);
    await composer(page).fill('');
    const folder = await mkdtemp(join(tmpdir(), 'files-'));
    const [file, large] = [join(folder, 'pixel.png'), join(folder, 'large.bin')];
    await Promise.all([writeFile(file, PIXEL), writeFile(large, Buffer.alloc(10_485_761))]);
    await page.getByLabel('Add files', { exact: true }).setInputFiles([file, large]);
    await page.getByText('“large.bin” is 10.0 MiB. The limit is 10 MiB per file.').waitFor();
    await page.getByRole('button', { name: 'Remove large.bin' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('log').getByRole('img', { name: 'pixel.png' }).waitFor();
    await rm(folder, { recursive: true });
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps text that is not sent yet: typed during a send, next to files, or in another channel', {
    tags: ['slow'],
  }, async () => {
    const { channelId } = await channelWith(0, 'drafts');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(channelId));
    const held = await holdAnswer(page, 'mutation SendMessage(');
    await say(page, 'said');
    await held.isGiven;
    await composer(page).fill('typed meanwhile');
    held.release();
    await messages(page, 'said').waitFor();
    expect(await composer(page).inputValue()).toBe('typed meanwhile');
    await composer(page).fill('');
    await page
      .getByLabel('Add files', { exact: true })
      .setInputFiles({ name: 'kept.txt', mimeType: 'text/plain', buffer: Buffer.from('kept') });
    await composer(page).press('/');
    await page.getByRole('combobox', { name: 'Command' }).press('Escape');
    await page.getByRole('button', { name: 'Remove kept.txt' }).waitFor();
    expect(await isFocused(composer(page))).toBe(true);
    await composer(page).fill('later');
    const channels = page.getByRole('navigation', { name: 'Channels' });
    await channels.getByRole('link').first().click();
    await page.getByText('kept.txt').waitFor({ state: 'detached' });
    const asked = page.waitForEvent('dialog');
    const left = page.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await left.catch(() => undefined);
    await channels.getByRole('link', { name: 'drafts' }).click();
    await page.getByText('kept.txt').waitFor();
    expect(await composer(page).inputValue()).toBe('later');
    await composer(page).press('Enter');
    await messages(page, 'later').waitFor();
    await page.getByRole('log').getByRole('link', { name: 'kept.txt' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('restores a message that could not be sent', { tags: ['slow'] }, async () => {
    const { page, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(guild.textChannelId));
    await page.getByRole('log').waitFor();
    await page.context().setOffline(true);
    await say(page, 'not yet');
    await page.getByRole('alert').first().waitFor();
    expect(await composer(page).inputValue()).toBe('not yet');
    await page.context().setOffline(false);
    await composer(page).press('Enter');
    await messages(page, 'not yet').waitFor();
    await close();
  });

  it('shows messages that are sent and edited while it is loading', { tags: ['slow'] }, async () => {
    const { channelId } = await channelWith(1, 'busy');
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const untilHeard = hearing(page);
    await open(pathOf(guild.textChannelId));
    await untilHeard('ack');
    await goTo(page, 'busy', channelId);
    const held = await holdAnswer(page, 'query ChannelMessages(');
    const first = await sendMessage(bob, channelId, 'first');
    await held.isGiven;
    await sendMessage(bob, channelId, 'second');
    await edit(bob, channelId, first, 'first, edited');
    await untilHeard('first, edited');
    held.release();
    await messages(page, 'second').waitFor();
    await messages(page, 'first, edited').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('loads messages that are older than the newest 50, and updates the first of these when it is edited', {
    tags: ['slow'],
  }, async () => {
    const { channelId } = await channelWith(60);
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const untilHeard = hearing(page);
    await open(pathOf(guild.textChannelId));
    await untilHeard('ack');
    await goTo(page, 'long', channelId);
    await messages(page, 'number 59').waitFor();
    expect(await messages(page, 'number 9').count()).toBe(0);
    const { channel } = await ada.graphql(
      'query ($id: ID!) { channel(id: $id) { messages(last: 50) { edges { node { id content } } } } }',
      { id: channelId },
    );
    const [{ node: first }] = channel.messages.edges;
    expect(first.content).toBe('number 10');
    await edit(ada, channelId, first.id, 'number ten');
    await messages(page, 'number ten').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Load older messages' }).click();
    await page.getByRole('log').getByRole('alert').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Load older messages' }).click();
    await messages(page, 'number 0').waitFor();
    expect(await page.getByRole('log').getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('log').getByRole('listitem').count()).toBe(60);
    await sendMessage(bob, channelId, 'number 60');
    await messages(page, 'number 60').waitFor();
    expect(await page.getByRole('log').getByRole('listitem').count()).toBe(61);
    expect(faults.filter((fault) => !fault.includes('net::ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    await close();
  });
});

function untilAnswered(page: Page, channelId: string, times: number): Promise<void> {
  return new Promise((resolve) => {
    let left = times;
    page.on('requestfinished', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('query ChannelMessages(') && body.includes(channelId) && --left === 0) resolve();
    });
  });
}

/** Opens a channel from another one, and waits until its requests are done. */
async function goTo(page: Page, name: string, channelId: string): Promise<void> {
  await page.getByRole('log').waitFor();
  // The page requests the messages once at first, and once after it has subscribed, for missed ones.
  const answered = untilAnswered(page, channelId, 2);
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name }).click();
  await answered;
}

async function edit(author: Person, channelId: string, messageId: string, content: string): Promise<void> {
  await author.graphql('mutation ($input: EditMessageInput!) { editMessage(input: $input) { message { id } } }', {
    input: { channelId, messageId, content },
  });
}

async function channelWith(count: number, name = 'long'): Promise<{ channelId: string }> {
  const { createChannel } = await ada.graphql(
    'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }',
    { input: { guildId: guild.id, name } },
  );
  const channelId = createChannel.channel.id as string;
  for (let number = 0; number < count; number += 1) await sendMessage(ada, channelId, `number ${number}`);
  return { channelId };
}

const slash = (name: string) => new SlashCommandBuilder().setName(name).setDescription(`Tries ${name}`);

const COMMANDS = [
  slash('echo')
    .addStringOption((option) => option.setName('text').setDescription('What').setRequired(true).setMinLength(2))
    .addIntegerOption((option) => option.setName('count').setDescription('How often').setMinValue(1))
    .addUserOption((option) => option.setName('who').setDescription('Who')),
  slash('game').addSubcommand((one) =>
    one
      .setName('start')
      .setDescription('Starts one')
      .addStringOption((option) =>
        option.setName('level').setDescription('How hard').addChoices({ name: 'Hard', value: 'hard' }),
      ),
  ),
  slash('find').addStringOption((option) => option.setName('what').setDescription('What').setAutocomplete(true)),
  slash('whisper'),
  slash('later'),
  slash('silent'),
  slash('panel'),
];

const panel = () => [
  new ActionRowBuilder<ButtonBuilder>().addComponents(
    new ButtonBuilder().setCustomId('press').setLabel('Press').setStyle(ButtonStyle.Primary),
    new ButtonBuilder().setCustomId('ask').setLabel('Ask').setStyle(ButtonStyle.Secondary),
    new ButtonBuilder().setURL('https://example.com/').setLabel('Read more').setStyle(ButtonStyle.Link),
  ),
  new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(
    new StringSelectMenuBuilder()
      .setCustomId('dish')
      .setPlaceholder('A dish')
      .addOptions({ label: 'Soup', value: 'soup' }, { label: 'Cake', value: 'cake' }),
  ),
  new ActionRowBuilder<UserSelectMenuBuilder>().addComponents(
    new UserSelectMenuBuilder().setCustomId('crew').setPlaceholder('A crew').setMinValues(1).setMaxValues(2),
  ),
];

const question = () =>
  new ModalBuilder()
    .setCustomId('question')
    .setTitle('A question')
    .addComponents(
      new ActionRowBuilder<TextInputBuilder>().addComponents(
        new TextInputBuilder().setCustomId('why').setLabel('Why').setStyle(TextInputStyle.Paragraph).setMinLength(3),
      ),
    );

/** Lets the command `later` continue. */
let finish: () => void = () => {};

async function answer(interaction: Interaction): Promise<unknown> {
  if (interaction.isAutocomplete()) {
    const typed = interaction.options.getFocused();
    return interaction.respond([{ name: `${typed} soup`, value: `${typed}-soup` }]);
  }
  if (interaction.isModalSubmit()) return interaction.reply(`because ${interaction.fields.getTextInputValue('why')}`);
  if (interaction.isUserSelectMenu()) {
    return interaction.reply(`crew ${interaction.users.map(({ username }) => username).join()}`);
  }
  if (interaction.isStringSelectMenu()) return interaction.reply(`dish ${interaction.values.join()}`);
  if (interaction.isButton()) {
    return interaction.customId === 'ask'
      ? interaction.showModal(question())
      : interaction.update({ content: 'pressed', components: [] });
  }
  if (interaction.isChatInputCommand()) return answers[interaction.commandName]?.(interaction);
  return undefined;
}

type Command = ChatInputCommandInteraction;

const answers: Record<string, (interaction: Command) => Promise<unknown>> = {
  echo: (interaction) => {
    const { options } = interaction;
    const said = [options.getString('text'), options.getInteger('count'), options.getUser('who')?.username];
    return interaction.reply(`echo ${said.join(' ')}`);
  },
  find: (interaction) => interaction.reply(`found ${interaction.options.getString('what')}`),
  game: (interaction) =>
    interaction.reply(`game ${interaction.options.getSubcommand()} ${interaction.options.getString('level')}`),
  whisper: (interaction) => interaction.reply({ content: 'psst', flags: MessageFlags.Ephemeral }),
  panel: (interaction) => interaction.reply({ content: 'a panel', components: panel() }),
  later: async (interaction) => {
    await interaction.deferReply();
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    await interaction.editReply('done at last');
  },
};
describe.skipIf(noBrowser !== null)(needing(noBrowser, 'the commands of a channel'), () => {
  let bot: Client;
  let appId: string;
  beforeAll(async () => {
    const application = await createApplication(ada, 'Otter bot');
    appId = application.id;
    await install(ada, application, guild);
    bot = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${server.origin}/api` } });
    bot.on(Events.InteractionCreate, answer);
    const ready = new Promise((resolve) => bot.once(Events.ClientReady, resolve));
    await bot.login(application.botToken);
    await ready;
    await bot.application?.commands.set(COMMANDS);
  });
  afterAll(() => bot?.destroy());

  async function pick(page: Page, text: string): Promise<void> {
    await composer(page).press('/');
    await page.getByRole('combobox', { name: 'Command' }).fill(`/${text}`);
    await page.getByRole('listbox', { name: 'Command' }).getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: `Command ${text}` }).waitFor();
  }
  const run = (page: Page) => page.getByRole('button', { name: 'Run command' }).click();

  it('the picker keeps every key that is pressed while it loads, in order', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const release = await holdFile(page, 'command-picker');
    await open(pathOf(guild.textChannelId));
    await composer(page).focus();
    await page.keyboard.type('/ec');
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe('/ec');
    const typed = 'ho and what is typed while the picker opens';
    const typing = page.keyboard.type(typed, { delay: 5 });
    release();
    await typing;
    const field = page.getByRole('combobox', { name: 'Command' });
    await field.and(page.locator(':focus')).waitFor();
    expect(await field.inputValue()).toBe(`/ec${typed}`);
    await page.keyboard.press('Escape');
    await composer(page).and(page.locator(':focus')).waitFor();
    expect(await composer(page).inputValue()).toBe('');
    await page.keyboard.type('/echo');
    expect(await field.inputValue()).toBe('/echo');
    expect(faults).toEqual([]);
    await close();
  });

  it('are picked by Enter before their list has loaded only if the whole name is typed', {
    tags: ['slow'],
  }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    for (const [typed, shown] of [
      ['/echo', page.getByRole('region', { name: 'Command echo' })],
      ['/ec', page.getByRole('option', { name: '/echo' })],
      ['/nothing', page.getByText('No matching commands that you can run here.')],
    ] as const) {
      const list = await holdAnswer(page, 'query RunnableCommands');
      await open(pathOf(guild.textChannelId));
      await composer(page).focus();
      await page.keyboard.type(typed);
      await page.keyboard.press('Enter');
      list.release();
      await shown.waitFor();
      expect(await page.getByRole('region', { name: /^Command/ }).count()).toBe(typed === '/echo' ? 1 : 0);
      expect(await page.getByRole('log').getByText(typed, { exact: true }).count()).toBe(0);
    }
    expect(faults).toEqual([]);
    await close();
  });

  it('the focus stays in another field that took it while the picker was loading', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await sendMessage(bob, guild.textChannelId, 'edited meanwhile');
    const release = await holdFile(page, 'command-picker');
    await open(pathOf(guild.textChannelId));
    await composer(page).press('/');
    const row = page.getByRole('listitem').filter({ hasText: 'edited meanwhile' });
    await row.getByRole('button', { name: 'Edit' }).click();
    release();
    await page.getByRole('combobox', { name: 'Command' }).waitFor();
    expect(await isFocused(page.getByLabel('Edit message'))).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  it('the picker takes no option from a list that belongs to earlier input', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(guild.textChannelId));
    await pick(page, 'echo');
    await page.getByLabel('text', { exact: true }).fill('hey');
    await page.getByLabel('count', { exact: true }).fill('2');
    const who = page.getByRole('combobox', { name: 'who' });
    await who.fill('bo');
    await page.getByRole('option', { name: 'bob' }).waitFor();
    await who.fill('ada');
    await page.keyboard.press('Enter');
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    expect(await who.inputValue()).toBe('ada');
    await run(page);
    await messages(page, 'echo hey 2 ada').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('a message that begins with a slash is sent as it is after an unfinished command was deleted', {
    tags: ['slow'],
  }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    const release = await holdFile(page, 'command-picker');
    await open(pathOf(guild.textChannelId));
    await composer(page).press('/');
    await composer(page).press('Backspace');
    const file = page.waitForEvent('requestfinished', (request) => request.url().includes('/command-picker-'));
    release();
    // This import resolves after that of the page, which requested the file first.
    await page.evaluate(`import('${(await file).url()}').then(() => null)`);
    await say(page, '/srv is where they are');
    await messages(page, '/srv is where they are').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('include the built-in ones', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(guild.textChannelId));
    await pick(page, 'choice');
    await page.getByText('/choice Built-in').waitFor();
    await page.getByLabel('options', { exact: true }).fill('otters, otters');
    await run(page);
    await page.getByRole('log').getByText('I choose **otters**.').waitFor();
    await composer(page).press('/');
    await page.getByRole('combobox', { name: 'Command' }).fill('/shrug');
    await page.getByText('No matching commands that you can run here.').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are picked by keyboard, and show an error at its option', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada, { width: 360, dark: true });
    await open(pathOf(guild.textChannelId));
    await composer(page).press('/');
    await page.getByRole('option', { name: '/echo' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Command echo' }).waitFor();
    expect(await isFocused(page.getByLabel('text', { exact: true }))).toBe(true);
    await run(page);
    await page.getByText('This option is required.').waitFor();
    await page.getByLabel('text', { exact: true }).fill('x');
    await page.getByLabel('count', { exact: true }).fill('2');
    await run(page);
    const faulty = page.getByLabel('text', { exact: true }).and(page.locator('[aria-invalid=true]'));
    await page.getByText('Must be 2 or more in length.').waitFor();
    await faulty.waitFor();
    await page.getByLabel('text', { exact: true }).fill('hey');
    await page.getByRole('combobox', { name: 'who' }).fill('bo');
    await page.getByRole('option', { name: 'bob' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    await run(page);
    await messages(page, 'echo hey 2 bob').waitFor();
    await page.getByText('was answered.').waitFor();
    await page.getByRole('button', { name: 'Timeline' }).click();
    const timeline = page.getByRole('complementary', { name: 'Timeline of echo' });
    await timeline.getByRole('listitem').first().waitFor();
    const link = timeline.getByRole('link', { name: 'Open interaction' });
    expect(await link.getAttribute('href')).toMatch(new RegExp(`^/portal/applications/${appId}/interactions/\\d+$`));
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('have subcommands with choices, and complete what is typed', { tags: ['slow'] }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(guild.textChannelId));
    await pick(page, 'game start');
    await page.getByLabel('level').selectOption('Hard');
    await run(page);
    await messages(page, 'game start hard').waitFor();
    expect(await isFocused(composer(page))).toBe(true);
    const timeline = page.getByRole('complementary', { name: 'Timeline of game' });
    await timeline.getByRole('listitem').first().waitFor();
    await pick(page, 'find');
    await page.context().setOffline(true);
    await page.getByRole('combobox', { name: 'what' }).fill('pea');
    await page.getByText('Could not load suggestions').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('combobox', { name: 'what' }).fill('bean');
    await page.getByRole('option', { name: 'bean soup' }).click();
    await run(page);
    await messages(page, 'found bean-soup').waitFor();
    await page.getByRole('complementary', { name: 'Timeline of find' }).getByRole('button', { name: 'Close' }).click();
    expect(await page.getByRole('complementary').count()).toBe(0);
    expect(faults.filter((fault) => !fault.includes('net::ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    await close();
  });

  it('are picked only on purpose, and ask before the options that were typed are left', {
    tags: ['slow'],
  }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(guild.textChannelId));
    await composer(page).press('/');
    await page.getByRole('combobox', { name: 'Command' }).fill('/ec');
    const echo = page.getByRole('option', { name: '/echo' });
    await echo.click({ button: 'right' });
    await page.keyboard.press('Tab');
    await echo.waitFor({ state: 'hidden' });
    expect(await page.getByRole('region', { name: 'Command echo' }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Command' }).press('ArrowDown');
    await echo.click();
    await page.getByLabel('text', { exact: true }).fill('hello');
    await page.getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stay' }).click();
    expect(await page.getByLabel('text', { exact: true }).inputValue()).toBe('hello');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await composer(page).and(page.locator(':focus')).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('leave the channel and the typed text unchanged if their files cannot be loaded', {
    tags: ['slow'],
  }, async () => {
    const { page, open, close } = await openPortal(browser, server, bob);
    await sendMessage(bob, guild.textChannelId, 'to be edited');
    await open(pathOf(guild.textChannelId));
    const row = page.getByRole('listitem').filter({ hasText: 'to be edited' });
    await row.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit message').fill('half an edit');
    await page.route('**/portal/assets/**', (route) => route.fulfill({ status: 404 }));
    await composer(page).press('/');
    await page.getByRole('alert').getByText('The commands could not be loaded.').waitFor();
    expect(await page.getByLabel('Edit message').inputValue()).toBe('half an edit');
    await page.getByRole('button', { name: 'Back to message' }).click();
    await composer(page).fill('half a message');
    await page.getByRole('button', { name: 'Save' }).click();
    await messages(page, 'half an edit').waitFor();
    expect(await composer(page).inputValue()).toBe('half a message');
    await close();
  });

  it('leave the channel unchanged if the file of the timeline cannot be loaded', { tags: ['slow'] }, async () => {
    const { page, open, close } = await openPortal(browser, server, ada);
    await page.route('**/portal/assets/interaction-panel*.js', (route) => route.fulfill({ status: 404 }));
    await open(pathOf(guild.textChannelId));
    await pick(page, 'find');
    await run(page);
    const timeline = page.getByRole('complementary', { name: 'Timeline' });
    await timeline.getByText('The timeline could not be loaded.').waitFor();
    await messages(page, 'found null').waitFor();
    await timeline.getByRole('button', { name: 'Close' }).click();
    await timeline.waitFor({ state: 'detached' });
    await close();
  });

  it('the page asks once about two messages that are being edited, and about one when its editor is closed', {
    tags: ['slow'],
  }, async () => {
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    for (const text of ['first one', 'second one']) await sendMessage(bob, guild.textChannelId, text);
    await open(pathOf(guild.textChannelId));
    const editors = page.getByLabel('Edit message');
    for (const [place, text] of ['first one', 'second one'].entries()) {
      await page.getByRole('listitem').filter({ hasText: text }).getByRole('button', { name: 'Edit' }).click();
      await editors.nth(place).fill(`${text}, changed`);
    }
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await editors.last().press('Escape');
    await question.getByRole('button', { name: 'Stay' }).click();
    expect(await editors.last().inputValue()).toBe('second one, changed');
    await page.getByRole('link', { name: 'Integrations' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 2, name: 'Integrations' }).waitFor();
    expect(await question.count()).toBe(0);
    await page.goBack();
    expect(await composer(page).inputValue()).toBe('');
    expect(faults).toEqual([]);
    await close();
  });

  it('the edit of a message that another user deletes continues as a new message', {
    tags: ['slow'],
  }, async () => {
    const { channelId } = await channelWith(0, 'pool');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    const ids = [await sendMessage(bob, channelId, 'first one'), await sendMessage(bob, channelId, 'second one')];
    const remove = (...messageIds: string[]) =>
      ada.graphql('mutation ($i: DeleteMessagesInput!) { deleteMessages(input: $i) { ids } }', {
        i: { channelId, messageIds },
      });
    await open(pathOf(channelId));
    await composer(page).fill('begun');
    const edit = async (text: string) => {
      await page.getByRole('listitem').filter({ hasText: text }).getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Edit message').last().waitFor();
    };
    await edit('first one');
    await edit('second one');
    await page.getByLabel('Edit message').last().fill('second one, changed');
    await remove(...ids);
    await messages(page, 'first one').waitFor({ state: 'detached' });
    await page.getByText('The message you were editing was deleted.').waitFor();
    expect(await composer(page).inputValue()).toBe('begun\nsecond one, changed');
    await composer(page).and(page.locator(':focus')).waitFor();
    // This key was meant for the deleted message.
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe('begun\nsecond one, changed');
    await page.keyboard.type('!');
    expect(await composer(page).inputValue()).toBe('begun\nsecond one, changed!');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('second one, changed!').waitFor();
    const third = await sendMessage(bob, channelId, 'third one');
    await edit('third one');
    await page.getByLabel('Edit message').last().fill('third one, changed');
    const elsewhere = page.getByRole('link', { name: 'Integrations' });
    await elsewhere.focus();
    await remove(third, await sendMessage(bob, channelId, 'fourth one'));
    await expect.poll(() => composer(page).inputValue(), { timeout: 15_000 }).toBe('third one, changed');
    expect(await elsewhere.evaluate((link) => link === document.activeElement)).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  it('the edits of two messages that are deleted at once both continue, the one with the focus first', {
    tags: ['slow'],
  }, async () => {
    const { channelId } = await channelWith(0, 'both');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    const ids = [await sendMessage(bob, channelId, 'first one'), await sendMessage(bob, channelId, 'second one')];
    await open(pathOf(channelId));
    const editors = page.getByLabel('Edit message');
    for (const [place, text] of ['first one', 'second one'].entries()) {
      await page.getByRole('listitem').filter({ hasText: text }).getByRole('button', { name: 'Edit' }).click();
      await editors.nth(place).fill(`${text}, changed`);
    }
    await editors.first().focus();
    await ada.graphql('mutation ($i: DeleteMessagesInput!) { deleteMessages(input: $i) { ids } }', {
      i: { channelId, messageIds: ids },
    });
    await composer(page).and(page.locator(':focus')).waitFor();
    expect(await composer(page).inputValue()).toBe('first one, changed\nsecond one, changed');
    expect(faults).toEqual([]);
    await close();
  });

  it('the edit of a message that is out of reach after a lost connection continues as a new message', {
    tags: ['slow'],
  }, async () => {
    const { channelId } = await channelWith(0, 'far');
    const { page, open, close } = await openPortal(browser, server, bob);
    await sendMessage(bob, channelId, 'first one');
    await open(pathOf(channelId));
    await page.getByRole('listitem').filter({ hasText: 'first one' }).getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit message').fill('first one, changed');
    await page.context().setOffline(true);
    for (let number = 1; number <= 51; number += 1) await sendMessage(ada, channelId, `number ${number}`);
    await page.context().setOffline(false);
    await messages(page, 'number 51').waitFor();
    await page.getByText('The message you were editing is no longer loaded.').waitFor();
    expect(await composer(page).inputValue()).toBe('first one, changed');
    await close();
  });

  it('the text of a user who may no longer write stays, to be copied or dropped', {
    tags: ['slow'],
  }, async () => {
    const { channelId } = await channelWith(0, 'shut');
    const { page, faults, open, close } = await openPortal(browser, server, bob);
    await open(pathOf(channelId));
    await composer(page).fill('begun');
    const SEND_MESSAGES = String(1n << 11n);
    await ada.graphql(
      'mutation ($input: SetChannelOverwriteInput!) { setChannelOverwrite(input: $input) { channel { id } } }',
      { input: { channelId, targetId: guild.id, targetType: 'ROLE', allow: '0', deny: SEND_MESSAGES } },
    );
    await page.getByText(/^You need the “Send messages/).waitFor();
    await composer(page).focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('?');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('begun');
    expect(await messages(page, 'begun').count()).toBe(0);
    await page.getByRole('button', { name: 'Discard message' }).click();
    expect([await composer(page).inputValue(), await composer(page).isDisabled()]).toEqual(['', true]);
    expect(faults).toEqual([]);
    await close();
  });

  it('are answered for one user alone, later, or not at all', { tags: ['slow'] }, async () => {
    const [hers, his] = await Promise.all([openPortal(browser, server, ada), openPortal(browser, server, bob)]);
    await Promise.all([hers.open(pathOf(guild.textChannelId)), his.open(pathOf(guild.textChannelId))]);
    await pick(hers.page, 'whisper');
    await run(hers.page);
    await messages(hers.page, 'psst').waitFor();
    await hers.page.getByText('Only you can see this').waitFor();
    await pick(hers.page, 'later');
    await run(hers.page);
    await hers.page.getByRole('log').getByText('Otter bot is thinking…').waitFor();
    finish();
    await messages(hers.page, 'done at last').waitFor();
    await messages(his.page, 'done at last').waitFor();
    expect(await messages(his.page, 'psst').count()).toBe(0);
    await pick(hers.page, 'silent');
    await run(hers.page);
    await hers.page.getByText(/^\/?silent failed: /).waitFor();
    expect([hers.faults, his.faults]).toEqual([[], []]);
    await Promise.all([hers.close(), his.close()]);
  });

  it('show components that are used, and a modal that is filled in', async () => {
    const { page, faults, open, close } = await openPortal(browser, server, ada);
    await open(pathOf(guild.textChannelId));
    await pick(page, 'panel');
    await run(page);
    await messages(page, 'a panel').waitFor();
    expect(await page.getByRole('link', { name: 'Read more' }).getAttribute('href')).toBe('https://example.com/');
    await page.getByRole('combobox', { name: 'A dish' }).press('ArrowDown');
    await page.getByRole('combobox', { name: 'A dish' }).selectOption('Cake');
    await page.getByRole('button', { name: 'Confirm: A dish' }).click();
    await messages(page, 'dish cake').waitFor();
    expect(await messages(page, 'dish soup').count()).toBe(0);
    for (const name of ['ada', 'bob']) {
      await page.getByRole('combobox', { name: 'A crew' }).fill(name);
      await page.getByRole('option', { name }).click();
      await page.getByRole('list', { name: 'Selected: A crew' }).getByText(name).waitFor();
    }
    await page.getByRole('button', { name: 'Remove ada' }).click();
    expect(await isFocused(page.getByRole('combobox', { name: 'A crew' }))).toBe(true);
    await page.getByRole('combobox', { name: 'A crew' }).fill('ada');
    await page.getByRole('option', { name: 'ada' }).click();
    await page.getByRole('button', { name: 'Confirm (2): A crew' }).click();
    await messages(page, 'crew bob,ada').waitFor();
    await page.getByRole('button', { name: 'Ask' }).click();
    const dialog = page.getByRole('dialog', { name: 'A question' });
    await dialog.getByLabel('Why').fill('no');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    for (const _ of [1, 2, 3]) {
      await pick(page, 'whisper');
      await run(page);
      await composer(page).waitFor();
    }
    const asked = page.getByRole('list', { name: 'Your recent interactions' }).getByRole('listitem').first();
    await asked.getByRole('button', { name: /^Dismiss/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stay' }).click();
    await asked.getByRole('button', { name: 'Open form' }).click();
    expect(await dialog.getByLabel('Why').inputValue()).toBe('no');
    await dialog.getByRole('button', { name: 'Submit' }).click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    await dialog.getByLabel('Why').fill('not');
    await dialog.getByRole('button', { name: 'Submit' }).click();
    await messages(page, 'because not').waitFor();
    expect(await page.getByRole('button', { name: 'Open form' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Press', exact: true }).click();
    await messages(page, 'pressed').waitFor();
    expect(await page.getByRole('button', { name: 'Press', exact: true }).count()).toBe(0);
    expect(await isFocused(page.getByRole('listitem').filter({ hasText: 'pressed' }).last())).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});
