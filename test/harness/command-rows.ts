import type { PermissionEntry } from '../../src/domain/command-permissions/index.js';
import type { ApplicationCommand, Prisma } from '../../src/infra/database/index.js';
import type { Server } from '../../src/server.js';

type App = Server['app'];

type CommandData = Partial<Omit<Prisma.ApplicationCommandUncheckedCreateInput, 'applicationId'>>;

/** Inserts a command. Default: global and for servers. */
export function putCommand(app: App, applicationId: bigint, data: CommandData = {}): Promise<ApplicationCommand> {
  const id = app.nextId();
  return app.db.writer.applicationCommand.create({
    data: { id, applicationId, name: `command-${id}`, options: [], integrationTypes: [0], version: id, ...data },
  });
}

export async function changeCommand(app: App, id: bigint, data: CommandData): Promise<void> {
  const { applicationId } = await app.db.writer.applicationCommand.update({ where: { id }, data });
  app.publish({ type: 'COMMANDS_UPDATED', applicationId, guildId: null });
}

/** Target types of audit entries. */
export const [OF_ROLE, OF_USER, OF_CHANNEL] = [1, 2, 3] as const;

export function entry(targetType: 1 | 2 | 3, targetId: bigint, allow = true): PermissionEntry {
  return { targetType, targetId, allow };
}

/** The application's id stands for all its commands. */
export async function putPermissions(
  app: App,
  key: { guildId: bigint; applicationId: bigint; commandId: bigint },
  ...entries: PermissionEntry[]
): Promise<void> {
  const { guildId, commandId } = key;
  await app.db.writer.commandPermission.deleteMany({ where: { guildId, commandId } });
  await app.db.writer.commandPermission.createMany({ data: entries.map((one) => ({ ...key, ...one })) });
  app.publish({ type: 'COMMAND_ACCESS_UPDATED', applicationId: key.applicationId });
}

/** Each as `type id yes` or `type id no`. */
export async function saidOf(app: App, guildId: bigint, commandId: bigint): Promise<string[]> {
  const rows = await app.db.reader.commandPermission.findMany({ where: { guildId, commandId } });
  return rows.map(({ targetType, targetId, allow }) => `${targetType} ${targetId} ${allow ? 'yes' : 'no'}`).sort();
}
