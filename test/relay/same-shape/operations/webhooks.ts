import { formOf } from '../../../harness/rest.js';
import type { Operation } from '../../../harness/twins.js';

const HOOK = '/webhooks/{hook}/{token}';
const nobody = { by: 'nobody' } as const;

export const webhookOperations: readonly Operation[] = [
  { ask: 'POST /channels/{text}/webhooks', json: { name: 'Haken' }, keep: { hook: 'id', token: 'token' } },
  { ask: 'GET /channels/{text}/webhooks' },
  { ask: 'GET /guilds/{guild}/webhooks' },
  { ask: 'GET /webhooks/{hook}' },
  {
    ask: 'PATCH /webhooks/{hook}',
    json: { name: 'Hook', channel_id: '{spare}' },
    headers: { 'x-audit-log-reason': 'x' },
  },
  { ask: 'PATCH /webhooks/{hook}', json: { channel_id: '{text}' } },
  { ask: `GET ${HOOK}`, ...nobody },
  { ask: `PATCH ${HOOK}`, json: { name: 'By token' }, ...nobody },
  { ask: `POST ${HOOK}`, json: { content: 'hi' }, keep: { sent: 'id' }, ...nobody },
  { ask: `POST ${HOOK}?wait=true`, json: { content: 'w', embeds: [{ title: 't' }] }, ...nobody },
  { ask: `POST ${HOOK}?wait=false`, json: { content: 'x'.repeat(4_000) }, ...nobody },
  {
    ask: `POST ${HOOK}`,
    what: 'as a reply',
    json: { content: 'r', message_reference: { message_id: '{sent}' } },
    ...nobody,
  },
  {
    ask: `POST ${HOOK}`,
    what: 'with files',
    form: () => formOf({ content: 'f' }, { name: 'files[0]', content: 'a', filename: 'a.txt', type: 'text/plain' }),
    keep: { filed: 'id' },
    ...nobody,
  },
  { ask: `GET ${HOOK}/messages/{sent}`, ...nobody },
  { ask: 'GET /channels/{text}/messages/{sent}', what: 'sent by a webhook' },
  { ask: `PATCH ${HOOK}/messages/{sent}`, json: { content: 'edited' }, ...nobody },
  { ask: `PATCH ${HOOK}/messages/{filed}`, json: { attachments: [] }, ...nobody },
  { ask: `GET ${HOOK}/messages/@original`, status: 404, code: 10008, ...nobody },
  { ask: `PATCH ${HOOK}/messages/@original`, json: { content: 'x' }, status: 404, code: 10008, ...nobody },
  { ask: `DELETE ${HOOK}/messages/@original`, status: 404, code: 10008, ...nobody },
  { ask: `POST ${HOOK}`, what: 'nothing', json: {}, status: 400, code: 50006, ...nobody },
  { ask: `POST ${HOOK}`, what: 'too much', json: { content: 'x'.repeat(4_001) }, status: 400, code: 50035, ...nobody },
  { ask: `POST ${HOOK}?thread_id=1`, json: { content: 'x' }, status: 400, code: 50035, ...nobody },
  { ask: 'POST /webhooks/{hook}/WH.aaaaaaaa.bbbb', json: { content: 'x' }, status: 401, ...nobody },
  { ask: `PUT ${HOOK}`, status: 405, ...nobody },
  { ask: `PATCH ${HOOK}/messages/123456789012345678`, json: { content: 'x' }, status: 404, code: 10008, ...nobody },
  { ask: `DELETE ${HOOK}/messages/{sent}`, ...nobody },
  { ask: `DELETE ${HOOK}/messages/{sent}`, what: 'again', status: 404, code: 10008, ...nobody },
  { ask: 'POST /channels/{text}/webhooks', what: 'another', json: { name: 'Other' }, keep: { other: 'id' } },
  { ask: 'DELETE /webhooks/{other}' },
  { ask: 'GET /webhooks/{other}', what: 'that is deleted', status: 404, code: 10015 },
  { ask: 'POST /channels/{text}/webhooks', by: 'plain', json: { name: 'Mine' }, status: 403, code: 50013 },
  { ask: 'POST /channels/{text}/webhooks', by: 'stranger', json: { name: 'Mine' }, status: 403, code: 50001 },
  { ask: 'POST /channels/{text}/webhooks', what: 'without a name', json: {}, status: 400, code: 50035 },
  { ask: `DELETE ${HOOK}`, ...nobody },
  { ask: `POST ${HOOK}`, what: 'of one that is deleted', json: { content: 'x' }, status: 404, code: 10015, ...nobody },
];
