import { snowflakeTime } from '../../infra/ids/ids.js';
import { liveWebhooks, writtenFile } from '../application-files/current.js';
import { commandsIn } from '../commands/list.js';
import { arrayEntry, byId, type ExportEntry, type ExportSource, linesEntry, pagesOf } from './entries.js';
import { mapped } from './places.js';

/** Applications that the person owns outside of teams, in the format of application files. */
export function applicationsEntry(source: ExportSource): ExportEntry {
  return arrayEntry('applications.json', applications(source));
}

async function* applications({ read, userId }: ExportSource) {
  const pages = pagesOf((last: { id: bigint } | undefined) => {
    const { where, ...page } = byId(last);
    return read.application.findMany({ where: { ownerUserId: userId, deletedAt: null, ...where }, ...page });
  });
  for await (const page of pages) {
    for (const application of page) {
      const { id } = application;
      const [commands, webhooks] = await Promise.all([
        commandsIn(read, { applicationId: id, guildId: null }),
        liveWebhooks(read, id),
      ]);
      yield [{ ...writtenFile(application, commands, webhooks), createdAt: new Date(snowflakeTime(id)) }];
    }
  }
}

const APPLICATION = { select: { id: true, name: true } } as const;

/** Applications that may act for the person. */
export function grantsEntry({ read, userId }: ExportSource): ExportEntry {
  const pages = pagesOf((last: { id: bigint } | undefined) => {
    const { where, ...page } = byId(last);
    return read.oAuthGrant.findMany({
      where: { userId, ...where },
      ...page,
      select: { id: true, application: APPLICATION, scopes: true, guildId: true, endsAt: true },
    });
  });
  return arrayEntry(
    'grants.json',
    mapped(pages, ({ id, application, scopes, guildId, endsAt }) => ({
      application,
      scopes,
      serverId: guildId,
      authorizedAt: new Date(snowflakeTime(id)),
      endsAt,
    })),
  );
}

/** Installations for the person, and those that they made in servers. */
export function installationsEntry({ read, userId }: ExportSource): ExportEntry {
  const pages = pagesOf((last: { id: bigint } | undefined) => {
    const { where, ...page } = byId(last);
    return read.installation.findMany({
      where: { OR: [{ userId }, { installerId: userId }], ...where },
      ...page,
      include: { application: APPLICATION },
    });
  });
  return arrayEntry(
    'installations.json',
    mapped(pages, ({ id, application, context, guildId, scopes, permissions }) => ({
      application,
      context,
      serverId: guildId,
      scopes,
      permissions,
      installedAt: new Date(snowflakeTime(id)),
    })),
  );
}

/** Commands, components and modals that the person used. Their values may contain what others wrote. */
export function interactionsEntry({ read, userId }: ExportSource): ExportEntry {
  const pages = pagesOf((last: { id: bigint } | undefined) => {
    const { where, ...page } = byId(last);
    return read.interaction.findMany({
      where: { userId, ...where },
      ...page,
      select: { id: true, type: true, name: true, application: APPLICATION, guildId: true, channelId: true },
    });
  });
  return linesEntry(
    'interactions.jsonl',
    mapped(pages, ({ guildId, ...interaction }) => ({
      ...interaction,
      serverId: guildId,
      createdAt: new Date(snowflakeTime(interaction.id)),
    })),
  );
}
