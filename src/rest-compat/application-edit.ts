import { ApplicationFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import {
  PRIVILEGED_INTENTS,
  type PrivilegedIntent,
  type UpdateApplicationInput,
} from '../domain/applications/index.js';
import { DomainError, invalidInput } from '../domain/errors.js';
import { imageData } from './images.js';

const InstallParams = z.object({
  scopes: z.array(z.string()),
  permissions: z.union([z.string(), z.number(), z.bigint()]).transform(String).nullish(),
});

const Context = z.object({ oauth2_install_params: InstallParams.nullish() }).nullish();

/** What a bot may change about its application; other keys of the reference platform have no effect. */
export const EditApplication = z.object({
  description: z.string().nullish(),
  custom_install_url: z.string().nullish(),
  interactions_endpoint_url: z.string().nullish(),
  icon: imageData.nullish(),
  flags: z.int().nullish(),
  install_params: InstallParams.nullish(),
  integration_types_config: z.object({ '0': Context, '1': Context }).nullish(),
});

type EditApplication = z.output<typeof EditApplication>;

type Settings = NonNullable<UpdateApplicationInput['defaultInstallSettings']>[number];

/** Default install settings, and where they stand in the body. */
interface StatedSettings extends Settings {
  path: string;
}

/** The change in the domain's names. The contexts that stand in the configuration are on, the others go off. */
export function editOf(applicationId: bigint, body: EditApplication): UpdateApplicationInput {
  const config = body.integration_types_config;
  return {
    applicationId,
    description: body.description,
    customInstallUrl: body.custom_install_url,
    interactionsEndpointUrl: body.interactions_endpoint_url,
    icon: body.icon,
    privilegedIntents: intentsOf(body.flags),
    defaultInstallSettings: settingsOf(body).map(({ path: _path, ...settings }) => settings),
    ...(config && { serverInstall: Boolean(config['0']), userInstall: Boolean(config['1']) }),
  };
}

function settingsOf({ integration_types_config: config, install_params }: EditApplication): StatedSettings[] {
  const at = (context: '0' | '1') => `integration_types_config.${context}.oauth2_install_params`;
  const server = config?.['0']?.oauth2_install_params;
  const user = config?.['1']?.oauth2_install_params;
  const settings: StatedSettings[] = [];
  if (server) settings.push({ context: 'SERVER', ...server, path: at('0') });
  else if (install_params) settings.push({ context: 'SERVER', ...install_params, path: 'install_params' });
  // Libraries send back the permissions they were shown, which are "0" here.
  if (user) settings.push({ context: 'USER', scopes: user.scopes, path: at('1') });
  return settings;
}

/** Of the flags, only the limited form of the privileged intents can be changed. */
function intentsOf(flags: number | null | undefined): PrivilegedIntent[] | undefined {
  if (typeof flags !== 'number') return undefined;
  const isOn = {
    GUILD_MEMBERS: flags & ApplicationFlags.GatewayGuildMembersLimited,
    PRESENCES: flags & ApplicationFlags.GatewayPresenceLimited,
    MESSAGE_CONTENT: flags & ApplicationFlags.GatewayMessageContentLimited,
  };
  return PRIVILEGED_INTENTS.filter((intent) => isOn[intent] !== 0);
}

/** Runs the change; a refusal names the faults where they stand in the body. */
export async function inWireNames<T>(body: EditApplication, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'INVALID_INPUT') throw error;
    const stated = settingsOf(body);
    throw invalidInput(...error.fields.map((field) => ({ ...field, path: wirePath(field.path, stated) })));
  }
}

function wirePath(path: string, stated: StatedSettings[]): string {
  if (path === 'serverInstall' || path === 'userInstall') return 'integration_types_config';
  return path
    .replace(/^defaultInstallSettings\.(\d+)/, (_, index: string) => stated[Number(index)]?.path ?? '')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
