import { pino } from 'pino';
import { expect, test } from 'vitest';
import { DomainError, ERROR_CODES, type ErrorCode } from '../src/domain/errors.js';
import { closeFor } from '../src/gateway/closing.js';
import { STATUS_OF_KIND } from '../src/http/faults.js';
import { renderOAuthError } from '../src/oauth/errors.js';
import { statusOf as pageStatusOf } from '../src/oauth/screen/pages.js';
import { renderRestError } from '../src/rest-compat/errors.js';
import { statusOf as graphqlStatusOf, renderDomainError } from '../src/schema/errors.js';

/**
 * The responses to each refusal, by interface:
 * - status and code of REST
 * - status and code of GraphQL
 * - status and name of the OAuth endpoints
 * - status of the authorization screen
 * - status of `/auth`
 * - close code of the gateway
 *
 * `-` means that no request gets the refusal at that interface.
 */
const ANSWERS = `
  UNAUTHENTICATED            401  0       401  UNAUTHENTICATED  400  access_denied              400  401  4000
  SUSPENDED                  401  0       401  UNAUTHENTICATED  400  access_denied              400  401  4000
  MALFORMED_CREDENTIAL       401  50014   -    UNAUTHENTICATED  -    -                          400  401  4000
  INVALID_ACCESS_TOKEN       401  50025   -    UNAUTHENTICATED  400  -                          400  401  4000
  ACCESS_TOKEN_REFUSED       403  50025   -    FORBIDDEN        400  -                          400  403  4000
  FORBIDDEN                  403  50013   403  FORBIDDEN        400  access_denied              403  403  4000
  BANNED                     403  40007   -    FORBIDDEN        400  access_denied              400  403  4000
  MISSING_ACCESS             403  50001   -    FORBIDDEN        400  access_denied              400  403  4000
  MISSING_PERMISSIONS        403  50013   -    FORBIDDEN        400  access_denied              400  403  4000
  BOTS_REFUSED               403  20001   -    FORBIDDEN        400  -                          400  403  4000
  CANNOT_MESSAGE_USER        403  50007   -    FORBIDDEN        400  -                          400  403  4000
  DIRECT_CHANNEL             403  50003   -    FORBIDDEN        400  -                          400  403  4000
  SYSTEM_MESSAGE             403  50021   -    FORBIDDEN        400  -                          400  403  4000
  ONLY_BOTS                  403  20002   -    FORBIDDEN        400  -                          400  403  4000
  NOT_OWN_APPLICATION        403  20012   -    FORBIDDEN        400  access_denied              400  403  4000
  NOT_FOUND                  404  0       400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_APPLICATION        404  10002   400  NOT_FOUND        400  invalid_client             400  404  4000
  UNKNOWN_BAN                404  10026   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_BOX                404  0       400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_CHANNEL            404  10003   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_COMMAND            404  10063   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_COMMAND_PERMISSIONS 404  10066   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_EMOJI              400  10014   400  BAD_USER_INPUT   400  invalid_request            400  -    4000
  UNKNOWN_GUILD              404  10004   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_INSTALLATION       404  0       400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_INTERACTION        404  10062   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_INVITE             404  10006   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_MEMBER             404  10007   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_MESSAGE            404  10008   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_PERSONAL_TOKEN     404  0       400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_ROLE               404  10011   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_TEAM               404  10039   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_TEAM_MEMBER        404  10040   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_TEAM_INVITATION    404  0       400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_USER               404  10013   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_GUILD_EMOJI        404  10014   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_OVERWRITE          404  10009   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_SESSION            404  0       400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_SOUND              404  10097   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_STICKER            404  10060   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_VOICE_STATE        404  10065   400  NOT_FOUND        400  invalid_request            400  404  4000
  UNKNOWN_WEBHOOK            404  10015   400  NOT_FOUND        400  invalid_request            400  404  4000
  INVALID_WEBHOOK_TOKEN      401  50027   -    UNAUTHENTICATED  400  -                          400  401  4000
  INVALID_RESET_TOKEN        400  0       400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  INVALID_INPUT              400  50035   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  INVALID_JSON               400  50109   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  INVALID_ROLE               400  50028   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  NOT_IN_VOICE               400  40032   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  WRONG_CHANNEL_TYPE         400  50008   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  INVALID_RECIPIENT          400  50033   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  BULK_DELETE_COUNT          400  50016   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  BULK_DELETE_TOO_OLD        400  50034   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  INVITE_CODE_TAKEN          400  50020   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  SEVERAL_PARENTS            400  40009   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  WIDGET_DISABLED            403  50004   -    FORBIDDEN        400  -                          400  403  4000
  EMPTY_MESSAGE              400  50006   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  NOT_MESSAGE_AUTHOR         403  50005   -    FORBIDDEN        400  -                          400  403  4000
  NOBODY_BANNED              400  500000  400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  ALREADY_ACKNOWLEDGED       400  40060   400  CONFLICT         400  invalid_request            400  409  4000
  COMMAND_NAME_TAKEN         400  40041   400  CONFLICT         400  invalid_request            400  409  4000
  TOO_MANY_COMMANDS          400  30032   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_COMMAND_CREATES   400  30034   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_FOLLOW_UPS        400  40094   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_ATTACHMENTS       400  30015   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_EMOJIS            400  30008   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_ANIMATED_EMOJIS   400  30018   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_CHANNELS          400  30013   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_OVERWRITES        400  30060   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_PRUNES            400  30040   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_PINS              400  30003   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_WEBHOOKS          400  30007   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  TOO_MANY_REACTIONS         403  30010   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  FILE_TOO_LARGE             413  50045   -    LIMIT_EXCEEDED   -    invalid_request            -    413  4000
  REQUEST_TOO_LARGE          413  40005   413  LIMIT_EXCEEDED   413  invalid_request            413  413  4000
  INVALID_REQUEST            400  50035   400  BAD_USER_INPUT   400  invalid_request            400  400  4000
  INVALID_CLIENT             401  0       -    -                401  invalid_client             400  401  4000
  INVALID_GRANT              400  0       400  BAD_USER_INPUT   400  invalid_grant              400  400  4000
  INVALID_SCOPE              400  50035   400  BAD_USER_INPUT   400  invalid_scope              400  400  4000
  UNAUTHORIZED_CLIENT        400  0       400  BAD_USER_INPUT   400  unauthorized_client        400  400  4000
  UNSUPPORTED_GRANT_TYPE     400  0       400  BAD_USER_INPUT   400  unsupported_grant_type     400  400  4000
  UNSUPPORTED_RESPONSE_TYPE  400  0       400  BAD_USER_INPUT   400  unsupported_response_type  400  400  4000
  ACCESS_DENIED              403  0       -    FORBIDDEN        400  access_denied              400  403  4000
  REGISTRATION_CLOSED        403  0       -    FORBIDDEN        400  access_denied              400  403  4000
  MISSING_SCOPE              403  50026   -    FORBIDDEN        400  -                          400  403  4000
  CONFLICT                   409  0       400  CONFLICT         400  invalid_request            400  409  4000
  OUTCOME_UNKNOWN            409  0       400  CONFLICT         400  invalid_request            400  409  4000
  LIMIT_EXCEEDED             400  30000   400  LIMIT_EXCEEDED   400  invalid_request            400  400  4000
  RATE_LIMITED               429  40062   429  RATE_LIMITED     429  temporarily_unavailable    429  429  4000
  SLOW_MODE                  429  20016   429  RATE_LIMITED     429  -                          429  429  4000
  OVERLOADED                 503  130000  503  RATE_LIMITED     503  temporarily_unavailable    503  503  4902
`;

const rows = ANSWERS.trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/));

const log = pino({ level: 'silent' });

function answersTo(code: ErrorCode): unknown[] {
  const refusal = new DomainError(code, 'why');
  const rest = renderRestError(refusal);
  const oauth = renderOAuthError(refusal);
  return [
    ...[rest?.status, rest?.body.code],
    ...[graphqlStatusOf(refusal), renderDomainError(refusal).extensions.code],
    ...[oauth?.status, oauth?.error],
    pageStatusOf(refusal),
    STATUS_OF_KIND[refusal.kind],
    closeFor(refusal, log, '').code,
  ];
}

const codeOf = ([name]: string[]): ErrorCode => {
  const code = ERROR_CODES.find((known) => known === name);
  if (code === undefined) throw new Error(`there is no code ${name}`);
  return code;
};

test.each(rows.map((row) => [codeOf(row), row] as const))('%s has the documented responses', (code, row) => {
  const answers = [code, ...answersTo(code)].map(String);
  expect(answers.map((answer, index) => (row[index] === '-' ? '-' : answer))).toEqual(row);
});

test('the table has every code', () => {
  expect(rows.map(codeOf).toSorted()).toEqual(ERROR_CODES.toSorted());
});

test('a code with a constant message has that message by default', () => {
  expect(new DomainError('UNKNOWN_CHANNEL')).toMatchObject({ message: 'Unknown Channel', kind: 'notFound' });
  expect(new DomainError('MISSING_PERMISSIONS', 'Not you.').message).toBe('Not you.');
});
