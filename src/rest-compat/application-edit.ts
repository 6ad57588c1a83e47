import { z } from 'zod';
import {
  ApplicationSettings,
  intentsOfFlags,
  type PrivilegedIntent,
  serverInstallScopes,
  type UpdateApplicationInput,
  userInstallScopes,
} from '../domain/applications/index.js';
import { permissionString } from '../domain/permissions.js';
import { imageChange } from './images.js';

const bits = z.union([z.string(), z.number(), z.bigint()]).transform(String);

const ServerParams = z.object({
  scopes: serverInstallScopes(),
  permissions: bits.pipe(permissionString()).nullish(),
});

/** Libraries send back the permissions that they received, which for user installs are always "0". */
const UserParams = z.object({ scopes: userInstallScopes(), permissions: bits.nullish() });

const { description, customInstallUrl, interactionsEndpointUrl } = ApplicationSettings.shape;

/** Discord's other fields are ignored. */
export const EditApplication = z.object({
  description,
  custom_install_url: customInstallUrl,
  interactions_endpoint_url: interactionsEndpointUrl,
  icon: imageChange,
  cover_image: imageChange,
  flags: z.int().nullish(),
  install_params: ServerParams.nullish(),
  integration_types_config: z
    .object({
      '0': z.object({ oauth2_install_params: ServerParams.nullish() }).nullish(),
      '1': z.object({ oauth2_install_params: UserParams.nullish() }).nullish(),
    })
    .nullish(),
});

type EditApplication = z.output<typeof EditApplication>;

export const EDITED_AS = {
  cover: 'cover_image',
  serverInstall: 'integration_types_config',
  userInstall: 'integration_types_config',
  customInstallUrl: 'custom_install_url',
  interactionsEndpointUrl: 'interactions_endpoint_url',
};

/** Enables the listed installation contexts and disables all others. */
export function settingsOf(body: EditApplication): Omit<UpdateApplicationInput, 'applicationId'> {
  const config = body.integration_types_config;
  return {
    description: body.description,
    customInstallUrl: body.custom_install_url,
    interactionsEndpointUrl: body.interactions_endpoint_url,
    icon: body.icon,
    cover: body.cover_image,
    privilegedIntents: intentsOf(body.flags),
    defaultInstallSettings: installSettingsOf(body),
    ...(config && { serverInstall: Boolean(config['0']), userInstall: Boolean(config['1']) }),
  };
}

function installSettingsOf({
  integration_types_config: config,
  install_params,
}: EditApplication): UpdateApplicationInput['defaultInstallSettings'] {
  const server = config?.['0']?.oauth2_install_params ?? install_params;
  const user = config?.['1']?.oauth2_install_params;
  return [
    ...(server ? [{ context: 'SERVER' as const, ...server }] : []),
    ...(user ? [{ context: 'USER' as const, scopes: user.scopes }] : []),
  ];
}

/** Only the limited variants of the privileged-intent flags can change. */
function intentsOf(flags: number | null | undefined): PrivilegedIntent[] | undefined {
  return typeof flags === 'number' ? intentsOfFlags(flags) : undefined;
}
