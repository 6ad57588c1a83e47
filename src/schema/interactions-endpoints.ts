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
import { builder } from './builder.js';
import { parseId } from './ids.js';
import { callerMayWithApplication } from './own-roles.js';

const ProbeCheck = builder.objectRef<ProbeCheckShape>('ProbeCheck').implement({
  fields: (t) => ({
    name: t.exposeString('name', { description: 'In words, such as "PING answered".' }),
    ok: t.exposeBoolean('ok'),
    wasTried: t.exposeBoolean('wasTried', {
      description: 'Not after a check without whose success it makes no sense.',
    }),
    sent: t.exposeString('sent', { nullable: true, description: 'The request, without what is secret.' }),
    got: t.exposeString('got', { nullable: true, description: 'The answer, cut short.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is not ok.' }),
  }),
});

const EndpointProbe = builder.objectRef<EndpointProbeShape>('EndpointProbe').implement({
  fields: (t) => ({
    ok: t.exposeBoolean('ok'),
    checks: t.field({ type: [ProbeCheck], resolve: ({ checks }) => checks }),
  }),
});

const EndpointHealth = builder.objectRef<EndpointHealthShape>('EndpointHealth').implement({
  description: `How the interactions endpoint did with the last ${DELIVERIES_LOOKED_AT} interactions.`,
  fields: (t) => ({
    answered: t.exposeInt('answered'),
    fellBack: t.exposeInt('fellBack', { description: 'Delivered over the gateway instead.' }),
    failed: t.exposeInt('failed', { description: 'Answered with what could not be used.' }),
    p50Ms: t.exposeInt('p50Ms', { nullable: true, description: 'Of what was delivered to the endpoint.' }),
    p95Ms: t.exposeInt('p95Ms', { nullable: true }),
    lastFailure: t.exposeString('lastFailure', { nullable: true }),
    lastFailureAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ lastFailureAt }) => lastFailureAt }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  endpointHealth: t.field({
    type: EndpointHealth,
    description: 'As of an endpoint that was never asked to somebody without a role in the application.',
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
  fields: (t) => ({ applicationId: t.id({ required: true }), url: t.string({ required: true }) }),
});

const EndpointProbePayload = builder.objectRef<{ probe: EndpointProbeShape }>('EndpointProbePayload').implement({
  fields: (t) => ({ probe: t.field({ type: EndpointProbe, resolve: ({ probe }) => probe }) }),
});

builder.mutationFields((t) => ({
  testInteractionsEndpoint: t.field({
    type: EndpointProbePayload,
    description: 'Probes an address as a save would, and saves nothing.',
    args: { input: t.arg({ type: TestInteractionsEndpointInput, required: true }) },
    resolve: async (_root, { input: { applicationId, url } }, { call }) => ({
      probe: await testEndpoint(call, {
        applicationId: parseId(applicationId, 'applicationId'),
        url: parseInput(EndpointUrl, url, 'url'),
      }),
    }),
  }),
}));
