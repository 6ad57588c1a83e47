import { z } from 'zod';
import { accessApplication } from '../domain/applications/index.js';
import type { BusMessage } from '../domain/bus-message.js';
import {
  type ForwardedInteraction,
  failForwarded,
  forwardInteraction,
  hasListener,
  keepListening,
  startListening,
  stopListening,
  type Taking,
  takeForwarded,
} from '../domain/listeners/index.js';
import { parseInput } from '../domain/parse-input.js';
import { topics } from '../infra/streams/topics.js';
import { Application } from './applications.js';
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import type { GraphqlContext } from './context.js';
import { idOf, parseId } from './ids.js';
import { mayChangeRoles } from './interaction-updates.js';
import { Interaction } from './interactions.js';
import { watchQueue } from './watched-queue.js';

builder.prismaObjectFields(Application, (t) => ({
  hasListener: t.boolean({
    description: 'Whether a listener receives the interactions, instead of the endpoint and the bot.',
    resolve: hasListener,
  }),
}));

const Forwarded = builder.objectRef<ForwardedInteraction>('ForwardedInteraction').implement({
  description: 'An interaction as the endpoint of the application would receive it.',
  fields: (t) => ({
    id: t.id({ description: 'ID of the interaction.', resolve: ({ id }) => String(id) }),
    body: t.exposeString('body', { description: "JSON, in the format of Discord's API." }),
    signature: t.string({
      description: 'Value of the header `X-Signature-Ed25519`.',
      resolve: ({ signature }) => signature['X-Signature-Ed25519'],
    }),
    timestamp: t.string({
      description: 'Value of the header `X-Signature-Timestamp`.',
      resolve: ({ signature }) => signature['X-Signature-Timestamp'],
    }),
  }),
});

builder.subscriptionField('interactionForwarded', (t) =>
  t.field({
    ...WITH_PERSONAL_TOKEN,
    type: Forwarded,
    description:
      'While it is open, this subscription receives the interactions of the application, instead of its endpoint and ' +
      'its bot. Take each with `takeForwarded` within 750 ms, and answer it through the callback route. ' +
      'A newer subscription replaces it.',
    args: { applicationId: t.arg.id(idOf.application) },
    subscribe: (_root, { applicationId }, context) => listen(context, parseId(applicationId, 'applicationId')),
    resolve: (forwarded) => forwarded,
  }),
);

const TakeForwardedInput = builder.inputType('TakeForwardedInput', {
  description: 'A forwarded interaction.',
  fields: (t) => ({ interactionId: t.id(idOf.interaction) }),
});

const TakeForwardedPayload = builder.objectRef<Taking>('TakeForwardedPayload').implement({
  description: 'Result of `takeForwarded`.',
  fields: (t) => ({
    taken: t.exposeBoolean('isTaken', {
      description: 'Whether the listener must answer. If false, it came too late: ignore the interaction.',
    }),
    interaction: t.field({
      type: Interaction,
      description: 'The interaction.',
      resolve: ({ interaction }) => interaction,
    }),
  }),
});

builder.mutationField('takeForwarded', (t) =>
  t.field({
    ...WITH_PERSONAL_TOKEN,
    type: TakeForwardedPayload,
    description: 'Confirms that a listener received an interaction. Without it, the endpoint or the bot gets it.',
    args: { input: t.arg(inputOf(TakeForwardedInput)) },
    resolve: (_root, { input: { interactionId } }, { call }) =>
      takeForwarded(call, parseId(interactionId, 'interactionId')),
  }),
);

const FailForwardedInput = builder.inputType('FailForwardedInput', {
  description: 'A forwarded interaction that was not handled.',
  fields: (t) => ({
    interactionId: t.id(idOf.interaction),
    reason: t.string({
      required: true,
      description: 'Shown to the developers of the application, 1 to 500 characters.',
    }),
    status: t.int({ description: 'HTTP status of the local endpoint, if it answered.' }),
  }),
});

const FailForwardedPayload = builder
  .objectRef<{ interaction: typeof Interaction.$inferType }>('FailForwardedPayload')
  .implement({
    description: 'The interaction.',
    fields: (t) => ({
      interaction: t.field({
        type: Interaction,
        description: 'The interaction, which is unchanged if it was answered before.',
        resolve: ({ interaction }) => interaction,
      }),
    }),
  });

const Reason = z.string().min(1).max(500);
const Status = z.int().min(100).max(999).optional();

builder.mutationField('failForwarded', (t) =>
  t.field({
    ...WITH_PERSONAL_TOKEN,
    type: FailForwardedPayload,
    description:
      'Ends an interaction that a listener received and could not hand on, so that the person need not wait.',
    args: { input: t.arg(inputOf(FailForwardedInput)) },
    resolve: async (_root, { input: { interactionId, reason, status } }, { call }) => ({
      interaction: await failForwarded(call, {
        interactionId: parseId(interactionId, 'interactionId'),
        reason: parseInput(Reason, reason, 'reason'),
        status: parseInput(Status, status ?? undefined, 'status'),
      }),
    }),
  }),
);

/** @throws what `startListening` throws */
async function listen(
  context: GraphqlContext,
  applicationId: bigint,
): Promise<AsyncIterableIterator<ForwardedInteraction>> {
  const { app, call } = context;
  const { ownerTeamId } = await accessApplication(call, applicationId, 'updateSettings');
  const listener = await startListening(call, applicationId);
  const stop = () => {
    stopListening(call, listener).catch((error: unknown) =>
      app.log.error({ err: error }, 'Could not end a listener; its application gets interactions after a second'),
    );
  };
  const offered = await watchQueue(context, {
    names: [topics.application(applicationId), ...(ownerTeamId === null ? [] : [topics.team(ownerTeamId)])],
    requireAccess: () => keepListening(call, listener),
    isUnsureAfter: mayChangeRoles,
    shownOf: (message) => offeredTo(listener.listenerId, message),
    onEnd: stop,
  }).catch((error: unknown) => {
    stop();
    throw error;
  });
  // Another listener may have replaced this one before the stream was open.
  await keepListening(call, listener).catch(async (error: unknown) => {
    await offered.return();
    throw error;
  });
  return forwarded(offered, (offer) => forwardInteraction(call, listener, offer));
}

type Offer = Pick<ForwardedInteraction, 'id' | 'body'>;

function offeredTo(listenerId: string, { type, interaction, data }: BusMessage): Offer | undefined {
  if (type !== 'INTERACTION_CREATE' || interaction?.listenerId !== listenerId) return undefined;
  return { id: BigInt(interaction.id), body: data };
}

function forwarded(
  offered: AsyncIterableIterator<Offer>,
  forward: (offer: Offer) => Promise<ForwardedInteraction | null>,
): AsyncIterableIterator<ForwardedInteraction> {
  return {
    async next() {
      for (;;) {
        const offer = await offered.next();
        if (offer.done) return { value: undefined, done: true };
        const value = await forward(offer.value);
        if (value) return { value, done: false };
      }
    },
    async return() {
      await offered.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
