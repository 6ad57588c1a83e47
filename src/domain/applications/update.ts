import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Application } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { AuditChanges } from '../audit-log/actions.js';
import type { CallContext, Write } from '../call.js';
import { type FieldFault, invalidInput } from '../errors.js';
import { fullUrl } from '../full-url.js';
import { COVER, type IconSource, replaceIcon } from '../icons.js';
import { nameText, trimmedText } from '../input.js';
import { requireEndpoint } from '../interactions-endpoints/require.js';
import { recordForInvited } from '../invited.js';
import { limits } from '../limits.js';
import { renameMemberships } from '../members/name-keys.js';
import { redirectUris } from '../oauth/redirect-uris.js';
import { showUserAnew } from '../users/shown.js';
import { accessSettings } from './access.js';
import { installSettings, installSettingsColumns } from './install-settings.js';
import { intentColumns, PRIVILEGED_INTENTS, privilegedIntents } from './privileged-intents.js';

const INSTALL_LINK_MODES = ['NONE', 'PROVIDED', 'CUSTOM'] as const;

/** Absent settings stay unchanged. So do null settings that cannot be null. */
export const ApplicationSettings = z.object({
  name: unlessNull(nameText(limits.applicationName.min, limits.applicationName.max)),
  description: unlessNull(trimmedText(0, limits.applicationDescription)),
  publicClient: unlessNull(z.boolean()),
  public: unlessNull(z.boolean()),
  /** All the enabled intents. */
  privilegedIntents: unlessNull(z.array(z.enum(PRIVILEGED_INTENTS))),
  userInstall: unlessNull(z.boolean()),
  serverInstall: unlessNull(z.boolean()),
  defaultInstallSettings: unlessNull(installSettings()),
  installLinkMode: unlessNull(z.enum(INSTALL_LINK_MODES)),
  customInstallUrl: fullUrl('https:').nullish(),
  interactionsEndpointUrl: fullUrl('https:', 'http:').nullish(),
  redirectUris: unlessNull(redirectUris()),
});

export type Settings = Partial<z.output<typeof ApplicationSettings>>;

export type UpdateApplicationInput = Settings & {
  applicationId: bigint;
  icon?: IconSource | null | undefined;
  cover?: IconSource | null | undefined;
};

function unlessNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/**
 * For developers and the application's own bot. Probes a new interactions endpoint first.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, RATE_LIMITED; INVALID_INPUT for an invalid image,
 * a failed probe, no install context, or link mode `CUSTOM` without a custom URL
 */
export async function updateApplication(call: CallContext, input: UpdateApplicationInput): Promise<Application> {
  const { applicationId, icon, cover, ...settings } = input;
  const application = await accessSettings(call, applicationId);
  const { id } = application;
  await requireEndpoint(call, application, settings.interactionsEndpointUrl);
  const change = (pictures: Pictures) => {
    const columns = columnsOf(settings, pictures);
    return call.write((write) => changeColumns(call, write, id, columns), {
      streams: [topics.application(id), topics.user(id)],
    });
  };
  return changeWithPictures(call, id, { icon, cover }, change);
}

/** Null removes an image, undefined keeps it. */
type Pictures = Partial<Record<'iconHash' | 'coverHash', string | null | undefined>>;

async function changeWithPictures(
  call: CallContext,
  id: bigint,
  { icon, cover }: Pick<UpdateApplicationInput, 'icon' | 'cover'>,
  change: (pictures: Pictures) => Promise<{ before: Application; after: Application }>,
): Promise<Application> {
  const owner = { folder: 'app-icons', id } as const;
  const changeWithCover = (coverHash: Pictures['coverHash']) =>
    replaceIcon(
      call,
      owner,
      icon,
      (iconHash) => change({ iconHash, coverHash }),
      (row) => row.iconHash,
    );
  const { after } = await replaceIcon(call, owner, cover, changeWithCover, (row) => row.coverHash, COVER);
  return after;
}

type Columns = ReturnType<typeof columnsOf>;

/** For other transactions, which must lock the same streams. Does not probe the endpoint. */
export async function changeSettings(
  call: CallContext,
  write: Write,
  id: bigint,
  settings: Settings,
): Promise<Application> {
  return (await changeColumns(call, write, id, columnsOf(settings, {}))).after;
}

/** @throws INVALID_INPUT for no install context, or link mode `CUSTOM` without a custom URL */
export function checkSettings(before: Application, settings: Settings): void {
  checkTogether(before, columnsOf(settings, {}));
}

/** Undefined columns stay unchanged. */
function columnsOf(settings: Settings, pictures: Pictures) {
  const { defaultInstallSettings, privilegedIntents, ...columns } = settings;
  return {
    ...columns,
    ...pictures,
    ...installSettingsColumns(defaultInstallSettings ?? []),
    ...(privilegedIntents && intentColumns(privilegedIntents)),
  };
}

async function changeColumns(
  call: CallContext,
  write: Write,
  id: bigint,
  columns: Columns,
): Promise<{ before: Application; after: Application }> {
  const { db, record, audit } = write;
  const before = await accessSettings(call, id, db);
  checkTogether(before, columns);
  const changes = changesOf(before, columns);
  if (Object.keys(changes).length === 0) return { before, after: before };
  const after = await db.application.update({ where: { id }, data: columns });
  await audit({ action: 'APPLICATION_UPDATE', applicationId: id, targetId: id, changes });
  const intents = columns.messageContentIntent === undefined ? {} : { intents: privilegedIntents(after) };
  record({ type: 'APPLICATION_UPDATED', applicationId: id, ...intents });
  if ('name' in changes || 'iconHash' in changes) {
    const data = { username: after.name, avatarHash: after.iconHash };
    const bot = await db.user.update({ where: { id }, data });
    if ('name' in changes) await renameMemberships(db, bot);
    await showUserAnew(call, write, bot);
    await recordForInvited(write, { applicationId: id });
  }
  return { before, after };
}

function changesOf(before: Application, columns: Columns): AuditChanges['APPLICATION_UPDATE'] {
  const changes: AuditChanges['APPLICATION_UPDATE'] = {};
  for (const [column, value] of Object.entries(columns)) {
    const old = before[column as keyof Columns];
    if (value !== undefined && !isDeepStrictEqual(value, old)) changes[column] = { old, new: value };
  }
  return changes;
}

function checkTogether(before: Application, columns: Columns): void {
  const { userInstall = before.userInstall, serverInstall = before.serverInstall } = columns;
  const { installLinkMode = before.installLinkMode, customInstallUrl = before.customInstallUrl } = columns;
  const faults: FieldFault[] = [];
  if (!userInstall && !serverInstall) {
    faults.push({
      path: columns.serverInstall === false ? 'serverInstall' : 'userInstall',
      code: 'BASE_TYPE_INVALID',
      message: 'At least one of user install and server install must be enabled.',
    });
  }
  if (installLinkMode === 'CUSTOM' && customInstallUrl === null) {
    const message = 'The install link mode CUSTOM requires a custom install URL.';
    faults.push({ path: 'customInstallUrl', code: 'BASE_TYPE_REQUIRED', message });
  }
  if (faults.length > 0) throw invalidInput(...faults);
}
