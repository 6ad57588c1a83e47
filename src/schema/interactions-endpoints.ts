import {
  DELIVERIES_LOOKED_AT,
  type EndpointHealth as EndpointHealthShape,
  type EndpointProbe as EndpointProbeShape,
  EndpointUrl,
  endpointHealth,
  lastDeliveries,
  type ProbeCheck as ProbeCheckShape,
  testEndpoint,
} from '../domain/interactions-endpoints/index.js';
import { parseInput } from '../domain/parse-input.js';
import { Application } from './applications.js';
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import { idOf, parseId } from './ids.js';
import { callerMayWithApplication } from './own-roles.js';

const ProbeCheck = builder.objectRef<ProbeCheckShape>('ProbeCheck').implement({
  description: 'One check in the test of an endpoint.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the check, such as "PING answered".' }),
    ok: t.exposeBoolean('ok', { description: 'Whether the check passed.' }),
    wasTried: t.exposeBoolean('wasTried', {
      description: 'False if the check was skipped because an earlier one failed.',
    }),
    sent: t.exposeString('sent', {
      nullable: true,
      description: 'Sent request without secrets. Null if there was none.',
    }),
    got: t.exposeString('got', {
      nullable: true,
      description: 'Received response, truncated. Null if no request was sent.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Reason for the failure. Null if the check passed.',
    }),
  }),
});

const EndpointProbe = builder.objectRef<EndpointProbeShape>('EndpointProbe').implement({
  description: 'Result of the test of an endpoint.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Whether all checks passed.' }),
    checks: t.field({ type: [ProbeCheck], description: 'Checks in order.', resolve: ({ checks }) => checks }),
  }),
});

const EndpointHealth = builder.objectRef<EndpointHealthShape>('EndpointHealth').implement({
  description: `Results of the interactions endpoint in the application's last ${DELIVERIES_LOOKED_AT} interactions.`,
  fields: (t) => ({
    answered: t.exposeInt('answered', { description: 'Number of interactions that the endpoint handled.' }),
    fellBack: t.exposeInt('fellBack', {
      description: 'Number of interactions that went to the gateway because the endpoint failed.',
    }),
    failed: t.exposeInt('failed', {
      description: 'Number of interactions that the endpoint received without a valid answer.',
    }),
    p50Ms: t.exposeInt('p50Ms', {
      nullable: true,
      description: 'Median response time in milliseconds. Null if nothing was delivered.',
    }),
    p95Ms: t.exposeInt('p95Ms', {
      nullable: true,
      description: '95th percentile of the response time in milliseconds. Null if nothing was delivered.',
    }),
    lastFailure: t.exposeString('lastFailure', {
      nullable: true,
      description: 'Reason for the last failure. Null if there was none.',
    }),
    lastFailureAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last interaction that failed. Null if there was none.',
      resolve: ({ lastFailureAt }) => lastFailureAt,
    }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  endpointHealth: t.field({
    type: EndpointHealth,
    description:
      'Recent results of the interactions endpoint. Counts are 0 for callers without a role in the application.',
    complexity: DELIVERIES_LOOKED_AT / 10,
    resolve: async (application, _args, context) => {
      const { call, budget } = context;
      const mayView = await callerMayWithApplication(context, application, 'view');
      const read = (take: number) => lastDeliveries(call, application.id, take);
      const deliveries = mayView ? await budget.read(DELIVERIES_LOOKED_AT, read) : [];
      return budget.step(() => endpointHealth(call, deliveries));
    },
  }),
}));

const TestInteractionsEndpointInput = builder.inputType('TestInteractionsEndpointInput', {
  description: 'An endpoint to test.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    url: t.string({ required: true, description: 'Full URL of the endpoint.' }),
  }),
});

const EndpointProbePayload = builder.objectRef<{ probe: EndpointProbeShape }>('EndpointProbePayload').implement({
  description: 'Result of `testInteractionsEndpoint`.',
  fields: (t) => ({
    probe: t.field({ type: EndpointProbe, description: 'Result of the test.', resolve: ({ probe }) => probe }),
  }),
});

builder.mutationFields((t) => ({
  testInteractionsEndpoint: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: EndpointProbePayload,
    description: 'Tests an endpoint like `updateApplication`, without saving it. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(TestInteractionsEndpointInput)) },
    resolve: async (_root, { input: { applicationId, url } }, { call }) => ({
      probe: await testEndpoint(call, {
        applicationId: parseId(applicationId, 'applicationId'),
        url: parseInput(EndpointUrl, url, 'url'),
      }),
    }),
  }),
}));
