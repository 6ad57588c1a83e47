import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningProgram, startProgram } from '../../conversation/programs.js';
import { noDiscordPy, PYTHON } from '../../harness/discord-py.js';
import { createApplication, install, type MadeApplication, type MadeGuild, sendMessage } from '../../harness/people.js';
import { type SelfHosted, startSelfHosted } from '../../harness/self-hosted.js';
import { needing } from '../../harness/skipping.js';
import { changeMuch } from './absence.js';
import { describeModeration } from './moderation.js';
import { type Known, openStage, type Stage, storedGuild } from './stage.js';

let all: SelfHosted;
beforeAll(async () => {
  all = await startSelfHosted();
});
afterAll(() => all.stop());

describeModeration('discord.py', () => all, { program: PYTHON, script: 'discord_py.py', missing: noDiscordPy });

describe.skipIf(noDiscordPy)(needing(noDiscordPy, 'discord.py and a box that is offline'), () => {
  let stage: Stage;
  let bot: MadeApplication;
  let guild: MadeGuild;
  let running: RunningProgram;

  beforeAll(async () => {
    stage = await openStage();
    guild = await stage.makeGuild();
    await changeMuch(stage, guild);
    bot = await createApplication(stage.owner, 'Lamplighter');
    await install(stage.owner, bot, guild, { permissions: '8' });
  });
  afterEach(async () => {
    await running.stop();
    await stage.comeBack();
  });
  afterAll(() => stage.stop());

  const login = async () => {
    const env = {
      API_URL: `${stage.cloud.origin}/api`,
      BOT_TOKEN: bot.botToken,
      GUILD_ID: guild.id,
      CHANNEL_ID: guild.textChannelId,
    };
    running = await startProgram({ program: PYTHON, script: '../relay/clients/bots/away_discord_py.py', env });
  };
  const told = async (beginning: string) => JSON.parse(await running.tells(beginning));

  it('gets its server as unavailable, and its new state once it is back', async () => {
    await login();
    // It also reports the servers that it gets at login.
    expect(await told('available ')).toEqual(await storedGuild(stage, guild));
    expect(await told('cached ')).toEqual(await storedGuild(stage, guild));
    await stage.goAway();
    await running.says(`unavailable ${guild.id}`);
    await running.says('refused 503');
    await changeMuch(stage, guild);
    await stage.comeBack();
    expectToHold(await told('available '), await storedGuild(stage, guild));
    await sendMessage(stage.keeper, guild.textChannelId, 'welcome back');
    expect(await running.tells('message ')).toBe('welcome back');
    expect(await running.tells('message ')).toBe('after');
    const texts = await stage.box.app.db.reader.message.findMany({ select: { content: true } });
    expect(texts.map(({ content }) => content)).toEqual(['meanwhile', 'meanwhile', 'welcome back', 'after']);
  });

  it('gets the events of a short absence once', async () => {
    await login();
    await stage.cutOff();
    for (const text of ['one', 'two', 'three']) await sendMessage(stage.keeper, guild.textChannelId, text);
    await stage.comeBack();
    await sendMessage(stage.keeper, guild.textChannelId, 'four');
    for (const text of ['one', 'two', 'three', 'four']) expect(await running.tells('message ')).toBe(text);
  });

  it('gets the server as unavailable if it logs in during the absence, and as available later', async () => {
    await stage.goAway();
    await login();
    expect(await told('cached ')).toBeNull();
    await stage.comeBack();
    expect(await told('available ')).toEqual(await storedGuild(stage, guild));
  });
});

/** discord.py keeps deleted channels and members of a server, also after a new GUILD_CREATE. */
function expectToHold(cached: Known, { channels, members, ...stored }: Known): void {
  expect(cached).toMatchObject(stored);
  expect(cached.channels).toEqual(expect.arrayContaining(channels));
  expect(cached.members).toEqual(expect.arrayContaining(members));
}
