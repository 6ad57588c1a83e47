import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { installApplication, type Scope } from '../../../src/domain/installations/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createBot, createGuild, type TestBot, type TestGuild } from '../../harness/world.js';

export interface CommandScene {
  guild: TestGuild;
  guildId: bigint;
  channelId: bigint;
  bot: TestBot;
  applicationId: bigint;
  owner: CallContext;
  ada: CallContext;
  outsider: CallContext;
  users: Record<'ada' | 'outsider', User>;
}

const COMMANDS: Scope[] = ['applications.commands'];

export async function openScene(app: AppContext): Promise<CommandScene> {
  const [guild, bot, ada, outsider] = [
    await createGuild(app),
    await createBot(app),
    await createPerson(app),
    await createPerson(app),
  ];
  await addMember(app, guild.id, ada);
  const owner = callOf(app, guild.owner);
  await installApplication(owner, { applicationId: bot.id, guildId: guild.id, scopes: COMMANDS });
  return {
    guild,
    guildId: guild.id,
    channelId: guild.channel.id,
    bot,
    applicationId: bot.id,
    owner,
    ada: callOf(app, ada),
    outsider: callOf(app, outsider),
    users: { ada, outsider },
  };
}

export async function letInstallToPeople(app: AppContext, id: bigint, userInstall: boolean): Promise<void> {
  await app.db.writer.application.update({ where: { id }, data: { userInstall } });
  app.publish({ type: 'APPLICATION_UPDATED', applicationId: id });
}

export async function installToPerson(app: AppContext, applicationId: bigint, user: User): Promise<void> {
  await letInstallToPeople(app, applicationId, true);
  await installApplication(callOf(app, user), { applicationId, scopes: COMMANDS });
}
