import { callContext } from '../../src/context.js';
import { createApplication } from '../../src/domain/applications/index.js';
import type { CallContext, UserActor } from '../../src/domain/call.js';
import { createGuild as createGuildAs, joinGuild } from '../../src/domain/guilds/index.js';
import { installApplication } from '../../src/domain/installations/index.js';
import { createInvite } from '../../src/domain/invites/index.js';
import type { User } from '../../src/infra/database/index.js';
import type { Server } from '../../src/server.js';
import { createPerson } from '../harness/rows.js';

/** What the domain's own functions make for its tests, in this process. */
type App = Server['app'];

export interface StagedGuild {
  id: bigint;
  owner: User;
  /** The text channel a new guild has. */
  channelId: bigint;
}

/** Somebody as the caller. */
function actorOf(user: User): UserActor {
  return user.bot
    ? { kind: 'bot', user, applicationId: user.id, messageContentIntent: true }
    : { kind: 'person', user };
}

/** A call of somebody's own. */
export function callOf(app: App, user: User): CallContext {
  return callContext(app, actorOf(user));
}

/** The bot of a new application, which somebody owns who owns nothing else. */
export async function createBot(app: App, name = 'Test bot'): Promise<User> {
  const { application } = await createApplication(callOf(app, await createPerson(app)), { name });
  return app.db.reader.user.findUniqueOrThrow({ where: { id: application.id } });
}

/** A guild with `@everyone`, a text and a voice channel, and its owner as a member. */
export async function createGuild(app: App): Promise<StagedGuild> {
  const owner = await createPerson(app);
  const { id } = await createGuildAs(callOf(app, owner), { name: 'Guild' });
  const channel = await app.db.reader.channel.findFirstOrThrow({ where: { guildId: id, type: 0 } });
  return { id, owner, channelId: channel.id };
}

/** Makes somebody a member: a bot by an installation that grants it nothing, a person by an invite, both of the guild's owner's. */
export async function addMember(app: App, guild: StagedGuild, user: User): Promise<void> {
  const owner = callOf(app, guild.owner);
  if (user.bot) {
    const input = { applicationId: user.id, guildId: guild.id, scopes: ['bot'], permissions: '0' };
    await installApplication(owner, input);
    return;
  }
  const { code } = await createInvite(owner, guild.channelId, { maxUses: 1 });
  await joinGuild(callOf(app, user), code);
}
