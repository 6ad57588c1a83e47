import type { CallContext } from '../call.js';

export interface InstallCounts {
  server: number;
  user: number;
}

/** By application id. Applications without installations are absent. */
export async function countInstallations(
  call: CallContext,
  applicationIds: readonly bigint[],
): Promise<Map<bigint, InstallCounts>> {
  const groups = await call.read.installation.groupBy({
    by: ['applicationId', 'context'],
    where: { applicationId: { in: [...applicationIds] } },
    _count: true,
  });
  const counts = new Map<bigint, InstallCounts>();
  for (const { applicationId, context, _count } of groups) {
    const known = counts.get(applicationId) ?? NOT_INSTALLED;
    counts.set(applicationId, { ...known, [context === 'SERVER' ? 'server' : 'user']: _count });
  }
  return counts;
}

export const NOT_INSTALLED: InstallCounts = { server: 0, user: 0 };
