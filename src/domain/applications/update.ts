import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Application } from '../../infra/database/index.js';
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

/** What of an application can be set. What is not given stays as it is, and null means the same for everything that cannot be null. */
export const ApplicationSettings = z.object({
  name: unlessNull(nameText(limits.applicationName.min, limits.applicationName.max)),
  description: unlessNull(trimmedText(0, limits.applicationDescription)),
  publicClient: unlessNull(z.boolean()),
  public: unlessNull(z.boolean()),
  /** Those that are on; the others go off. */
  privilegedIntents: unlessNull(z.array(z.enum(PRIVILEGED_INTENTS))),
  userInstall: unlessNull(z.boolean()),
  serverInstall: unlessNull(z.boolean()),
  defaultInstallSettings: unlessNull(installSettings()),
  installLinkMode: unlessNull(z.enum(INSTALL_LINK_MODES)),
  customInstallUrl: fullUrl('https:').nullish(),
  interactionsEndpointUrl: fullUrl('https:', 'http:').nullish(),
  redirectUris: unlessNull(redirectUris()),
});

export type UpdateApplicationInput = Partial<z.output<typeof ApplicationSettings>> & {
  applicationId: bigint;
  icon?: IconSource | null | undefined;
  cover?: IconSource | null | undefined;
};

function unlessNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/**
 * Changes an application's settings. Who develops it may, and its own bot. The bot user takes over the name and the icon. Another
 * interactions endpoint is probed before anything is saved.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, RATE_LIMITED, and INVALID_INPUT for an icon or a cover that is none, for an
 *   interactions endpoint that is none, and for settings that do not go together: at least one install context stays on, and the link
 *   mode `CUSTOM` has a custom install URL
 */
export async function updateApplication(call: CallContext, input: UpdateApplicationInput): Promise<Application> {
  const { applicationId, icon, cover, ...settings } = input;
  const application = await accessSettings(call, applicationId);
  const { id } = application;
  await requireEndpoint(call, application, settings.interactionsEndpointUrl);
  const change = (pictures: Pictures) => {
    const columns = columnsOf(settings, pictures);
    return call.write((write) => changeColumns(call, write, id, columns), { serializable: true });
  };
  return changeWithPictures(call, id, { icon, cover }, change);
}

/** What becomes of the hashes of an application's pictures. */
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

/** The columns the input speaks of; undefined for one it does not speak of. */
function columnsOf(settings: Partial<z.output<typeof ApplicationSettings>>, pictures: Pictures) {
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

/** What the audit ledger keeps: for each column that gets another value, the old and the new one. */
function changesOf(before: Application, columns: Columns): AuditChanges['APPLICATION_UPDATE'] {
  const changes: AuditChanges['APPLICATION_UPDATE'] = {};
  for (const [column, value] of Object.entries(columns)) {
    const old = before[column as keyof Columns];
    if (value !== undefined && !isDeepStrictEqual(value, old)) changes[column] = { old, new: value };
  }
  return changes;
}

/** @throws INVALID_INPUT for settings that do not go together once `columns` are set */
function checkTogether(before: Application, columns: Columns): void {
  const { userInstall = before.userInstall, serverInstall = before.serverInstall } = columns;
  const { installLinkMode = before.installLinkMode, customInstallUrl = before.customInstallUrl } = columns;
  const faults: FieldFault[] = [];
  if (!userInstall && !serverInstall) {
    faults.push({
      path: columns.serverInstall === false ? 'serverInstall' : 'userInstall',
      code: 'BASE_TYPE_INVALID',
      message: 'At least one of user install and server install stays on.',
    });
  }
  if (installLinkMode === 'CUSTOM' && customInstallUrl === null) {
    const message = 'The install link mode CUSTOM needs a custom install URL.';
    faults.push({ path: 'customInstallUrl', code: 'BASE_TYPE_REQUIRED', message });
  }
  if (faults.length > 0) throw invalidInput(...faults);
}
