import type { Application } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { PROBES_PER_APPLICATION, PROBES_PER_CALLER } from '../limits.js';
import { takeLimit } from '../rate-limits.js';
import { type EndpointProbe, probeEndpoint } from './probe.js';

/**
 * Checks a new endpoint before it is saved.
 * @param url not checked if null, undefined or unchanged
 * @throws UNAUTHENTICATED, RATE_LIMITED, INVALID_INPUT at `interactionsEndpointUrl` with the failed probe
 */
export async function requireEndpoint(
  call: CallContext,
  application: Application,
  url: string | null | undefined,
): Promise<void> {
  if (url === undefined || url === null || url === application.interactionsEndpointUrl) return;
  const probe = await probeForCaller(call, application, url);
  if (!probe.ok) throw refusalOf(probe);
}

/** Counts towards the limits of the caller and the application. @throws UNAUTHENTICATED, RATE_LIMITED */
export async function probeForCaller(
  call: CallContext,
  application: Pick<Application, 'id' | 'privateKey'>,
  url: string,
): Promise<EndpointProbe> {
  const tooOften = (seconds: number) => `Endpoints are being tested too often. Try again in ${seconds} s.`;
  await takeLimit(call, PROBES_PER_CALLER, String(requireUser(call).user.id), tooOften);
  await takeLimit(call, PROBES_PER_APPLICATION, String(application.id), tooOften);
  return probeEndpoint(call, application, url);
}

function refusalOf(probe: EndpointProbe): DomainError {
  const failed = probe.checks.find(({ ok }) => !ok);
  const message = `The interactions endpoint could not be verified. Failed check: ${failed?.name}. ${failed?.reason}`;
  const path = 'interactionsEndpointUrl';
  const fields = [{ path, code: 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID', message }];
  return new DomainError('INVALID_INPUT', undefined, { fields, shown: { probe } });
}
