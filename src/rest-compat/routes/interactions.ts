import { z } from 'zod';
import { snowflake } from '../../domain/input.js';
import { answerByToken, noteRefusedAnswer } from '../../domain/interactions/index.js';
import { renderCallbackResponse } from '../../wire/interaction-callbacks.js';
import { writes } from '../buckets.js';
import { InteractionCallback } from '../interaction-callback.js';
import { CLOUD, route } from '../route.js';
import { queryBoolean } from '../schemas.js';

/** Follow-up routes are in `webhooks.ts`. */
export const interactionRoutes = [
  route({
    method: 'POST',
    path: '/interactions/:interactionId/:interactionToken/callback',
    summary: 'Respond to an interaction',
    description: 'The first response is due within 3 seconds of the interaction.',
    callers: ['interactionToken'],
    bucket: writes('interaction-callback', 'interactionId', 'interactionToken'),
    where: CLOUD,
    params: z.object({ interactionId: snowflake(), interactionToken: z.string() }),
    query: z.object({ with_response: queryBoolean }),
    body: InteractionCallback,
    admitFiles: async () => {},
    noteRefusal: noteRefusedAnswer,
    status: { oneOf: [200, 204], of: ({ isShown }) => (isShown ? 200 : 204) },
    async run(call, { query, body, files }) {
      const answer = await answerByToken(call, { callback: body, files });
      return { answer, isShown: query.with_response };
    },
    render: ({ answer }, { app }) => renderCallbackResponse(answer, app.addresses),
  }),
];
