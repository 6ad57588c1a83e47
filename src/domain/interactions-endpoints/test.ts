import { z } from 'zod';
import { accessApplication } from '../applications/access.js';
import type { CallContext } from '../call.js';
import { fullUrl } from '../full-url.js';
import type { EndpointProbe } from './probe.js';
import { probeForCaller } from './require.js';

export const EndpointUrl = fullUrl('https:', 'http:').pipe(z.string());

/**
 * Probes a URL without saving it.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, RATE_LIMITED
 */
export async function testEndpoint(
  call: CallContext,
  { applicationId, url }: { applicationId: bigint; url: string },
): Promise<EndpointProbe> {
  const application = await accessApplication(call, applicationId, 'updateSettings');
  return probeForCaller(call, application, url);
}
