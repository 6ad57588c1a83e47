import type { ComponentType } from 'discord-api-types/v10';
import type { CallContext } from '../../../src/domain/call.js';
import type { CommandOption } from '../../../src/domain/commands/record.js';
import { DomainError } from '../../../src/domain/errors.js';
import { installApplication } from '../../../src/domain/installations/index.js';
import type { Scope } from '../../../src/domain/installations/scopes.js';
import {
  autocompleteRequest,
  commandRequest,
  type InteractionRequest,
  InvokedOptions,
} from '../../../src/domain/interactions/index.js';
import { updateMember } from '../../../src/domain/members/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import type { Interaction, Prisma, Role, User } from '../../../src/infra/database/index.js';
import { createPerson } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { addMember, callOf, createBot, createGuild, say, type TestBot, type TestGuild } from '../../harness/world.js';

export interface Scene {
  server: TestServer;
  guild: TestGuild;
  bot: TestBot;
  owner: CallContext;
  ada: CallContext;
  users: { ada: User; outsider: User };
  role: Role;
}

export async function openScene(server: TestServer): Promise<Scene> {
  const { app } = server;
  const guild = await createGuild(app);
  const bot = await createBot(app);
  const [ada, outsider] = await Promise.all([createPerson(app), createPerson(app)]);
  await addMember(app, guild.id, ada);
  await installWithCommands(app, bot, guild);
  const role = await app.db.writer.role.create({
    data: { id: app.nextId(), guildId: guild.id, name: 'red', position: 1 },
  });
  await app.db.writer.memberRole.create({ data: { guildId: guild.id, userId: ada.id, roleId: role.id } });
  return {
    server,
    guild,
    bot,
    owner: callOf(app, guild.owner),
    ada: callOf(app, ada),
    users: { ada, outsider },
    role,
  };
}

export async function installWithCommands(app: TestServer['app'], { id }: TestBot, guild: TestGuild): Promise<void> {
  const scopes: Scope[] = ['bot', 'applications.commands'];
  await installApplication(callOf(app, guild.owner), { applicationId: id, guildId: guild.id, scopes, permissions: 0n });
}

type CommandFacts = Partial<Omit<Prisma.ApplicationCommandUncheckedCreateInput, 'options'>>;

export async function storeCommand(
  { server: { app }, bot }: Scene,
  options: CommandOption[] = [],
  facts: CommandFacts = {},
): Promise<bigint> {
  const id = app.nextId();
  await app.db.writer.applicationCommand.create({
    data: {
      id,
      applicationId: bot.id,
      name: `c${id}`,
      options: JSON.parse(JSON.stringify(options)),
      integrationTypes: [0],
      version: id,
      ...facts,
    },
  });
  return id;
}

export interface Sent {
  options?: unknown;
  targetId?: bigint;
}

export async function run(
  scene: Scene,
  commandId: bigint,
  { options = [], targetId }: Sent = {},
  call = scene.owner,
): Promise<InteractionRequest> {
  const given = parseInput(InvokedOptions, options, 'options');
  return commandRequest(call, { channelId: scene.guild.channel.id, commandId, options: given, targetId });
}

export async function complete(scene: Scene, commandId: bigint, options: unknown): Promise<InteractionRequest> {
  const given = parseInput(InvokedOptions, options, 'options');
  return autocompleteRequest(scene.owner, { channelId: scene.guild.channel.id, commandId, options: given });
}

/** Returns the errors of an attempt's input as `path CODE`; empty if it succeeds. */
export async function faultsOf(attempt: Promise<unknown>): Promise<string[]> {
  try {
    await attempt;
    return [];
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'INVALID_INPUT') throw error;
    return error.fields.map(({ path, code }) => `${path} ${code}`);
  }
}

export function sayWith(scene: Scene, ...components: { type: ComponentType }[]) {
  return say(scene.server.app, scene.guild, scene.bot.user, 'choose', {
    components: JSON.parse(JSON.stringify(components)),
  });
}

export function storeModal(
  { server: { app }, bot, guild, users }: Scene,
  components: object[],
  facts: Partial<Prisma.InteractionUncheckedCreateInput> = {},
): Promise<Interaction> {
  return app.db.writer.interaction.create({
    data: {
      id: app.nextId(),
      applicationId: bot.id,
      type: 2,
      tokenHash: 'none',
      userId: users.ada.id,
      guildId: guild.id,
      channelId: guild.channel.id,
      name: 'form',
      data: {},
      owners: { guildId: String(guild.id) },
      state: 'ANSWERED',
      modal: JSON.parse(JSON.stringify({ custom_id: 'form', title: 'Form', components })),
      ...facts,
    },
  });
}

export async function whileTimedOut({ server: { app }, guild, owner, users }: Scene, work: () => Promise<void>) {
  const key = { guildId: guild.id, userId: users.ada.id };
  await updateMember(owner, { ...key, communicationDisabledUntil: new Date(app.clock.now() + 60_000) });
  await work();
  await updateMember(owner, { ...key, communicationDisabledUntil: null });
}
