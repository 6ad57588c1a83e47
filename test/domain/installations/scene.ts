import { createApplication, updateApplication } from '../../../src/domain/applications/index.js';
import { createGuild } from '../../../src/domain/guilds/index.js';
import type { Caller } from '../../harness/calls.js';

export async function openScene({ call }: Caller): Promise<{ applicationId: bigint; guildId: bigint }> {
  const { application } = await createApplication(call, { name: 'Helper' });
  await updateApplication(call, { applicationId: application.id, userInstall: true });
  const guild = await createGuild(call, { name: 'Harbour' });
  return { applicationId: application.id, guildId: guild.id };
}
