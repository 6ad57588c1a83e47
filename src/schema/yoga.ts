import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type ParseOptions,
  parse,
  type Source,
  validate,
} from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { DomainError, refusalOfRequest } from '../domain/errors.js';
import type { LargeScript } from '../http/pages/large-script.js';
import type { Logger } from '../infra/observability/logger.js';
import type { GraphqlContext } from './context.js';
import { createDocumentCache, refuseRepeats } from './documents.js';
import { renderError } from './errors.js';
import { graphiqlPage } from './graphiql.js';
import { schema } from './index.js';
import { keepIntrospection } from './introspection.js';
import { limitAliases, limitDepth } from './rules.js';

export type Yoga = YogaServerInstance<GraphqlContext, object>;

const MAX_TOKENS = 5_000;

const MAX_FAULTS = 10;

/** Other sites cannot send this header without a CORS preflight. */
const CSRF_HEADER = 'x-graphql-yoga-csrf';

export function createGraphqlServer(log: Logger, graphiql: LargeScript): Yoga {
  return createYoga<GraphqlContext>({
    schema,
    graphqlEndpoint: '/graphql',
    logging: false,
    landingPage: false,
    parserAndValidationCache: createDocumentCache(),
    cors: false,
    multipart: false,
    // SSE, because headers set in GraphiQL do not reach a socket.
    graphiql: { title: 'Causeway', subscriptionsProtocol: 'SSE' },
    renderGraphiQL: (options) => graphiqlPage(graphiql, options),
    maskedErrors: { maskError: (error) => renderError(error, log) },
    plugins: [
      limitDocuments(),
      keepIntrospection(),
      reportWhyStopped(log),
      refuseForgedRequests(),
      takeForms(),
      endTurns(),
      blameUnreadableRequests(),
      reportOutages(),
    ],
  });
}

function limitDocuments(): Plugin<GraphqlContext> {
  return {
    onParse({ setParseFn }) {
      setParseFn(parseWithinLimit);
    },
    onValidate({ context, addValidationRule, setValidationFn }) {
      addValidationRule(limitDepth);
      addValidationRule(limitAliases);
      // For suggestions, graphql-js compares an unknown name with all known ones.
      const options = { maxErrors: MAX_FAULTS, hideSuggestions: isAnonymous(context) };
      setValidationFn((schema, document, rules) => validate(schema, document, rules, options));
      return ({ result, setResult }) => {
        context.budget.payForFaults(result.length);
        setResult(result.map(explainFault));
      };
    },
  };
}

function isAnonymous({ call }: GraphqlContext): boolean {
  return call.actor.kind === 'anonymous';
}

function parseWithinLimit(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    const document = parse(source, { ...options, maxTokens: MAX_TOKENS });
    refuseRepeats(document);
    return document;
  } catch (error) {
    if (!(error instanceof GraphQLError) || !/ \d+ tokens\. Parsing aborted/.test(error.message)) throw error;
    throw new GraphQLError(`The document has more than ${MAX_TOKENS} tokens. Split it into smaller operations.`);
  }
}

/** Clearer messages for limits of graphql-js. */
const GIVEN_UP = new Map([
  [
    'Validation aborted.',
    'The document selects the same fields too often: comparing them takes more than 500000 steps. Select each field once.',
  ],
  [
    'Too many validation errors, error limit reached. Validation aborted.',
    `The document has more than ${MAX_FAULTS} errors. Only the first ${MAX_FAULTS} are listed.`,
  ],
]);

function explainFault(error: Error): GraphQLError {
  const { nodes } = error instanceof GraphQLError ? error : {};
  const extensions = { code: 'BAD_USER_INPUT', fields: {} };
  return new GraphQLError(GIVEN_UP.get(error.message) ?? error.message, { nodes, extensions });
}

/** Replaces the result of a stopped operation by the error. */
function reportWhyStopped(log: Logger): Plugin<GraphqlContext> {
  const explain = ({ budget: { refusal } }: GraphqlContext, setResult: (result: ExecutionResult) => void) => {
    if (!refusal) return;
    const error = new GraphQLError(refusal.message, { originalError: refusal });
    setResult({ data: null, errors: [renderError(error, log)] });
  };
  return {
    onExecute: () => ({
      onExecuteDone: ({ args, setResult }) => explain(args.contextValue, setResult),
    }),
    onSubscribe: () => ({
      onSubscribeResult: ({ args }) => ({ onNext: ({ setResult }) => explain(args.contextValue, setResult) }),
    }),
  };
}

/**
 * A request with a cookie and no origin needs a header that forces a preflight. `EventSource` cannot set it, so `sec-
 * fetch-site`
 * identifies requests of own pages.
 */
function refuseForgedRequests(): Plugin {
  const csrf: Plugin = useCSRFPrevention({ requestHeaders: [CSRF_HEADER] });
  return {
    onRequestParse(payload) {
      const { headers, method } = payload.request;
      const isOwnPageReading = method === 'GET' && headers.get('sec-fetch-site') === 'same-origin';
      if (!headers.has('cookie') || headers.has('authorization') || headers.has('origin') || isOwnPageReading) return;
      try {
        return csrf.onRequestParse?.(payload);
      } catch {
        const originalError = new DomainError(
          'FORBIDDEN',
          `A request with a cookie must have the header Origin or ${CSRF_HEADER}.`,
        );
        throw new GraphQLError(originalError.message, { originalError, extensions: { http: { status: 403 } } });
      }
    },
  };
}

function takeForms(): Plugin<object, GraphqlContext> {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      const { formParams } = serverContext;
      if (formParams) setRequestParser(() => formParams);
    },
  };
}

/** Releases the permit when the result is ready, not when the reader takes it. */
function endTurns(): Plugin<GraphqlContext> {
  return {
    onSubscribe: () => ({
      onSubscribeResult: () => ({ onNext: ({ args }) => args.contextValue.turn.end() }),
    }),
  };
}

/** Unreadable requests are errors of the caller. */
function blameUnreadableRequests(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) throw unknownContentType();
      setRequestParser(async (request) => {
        try {
          return await requestParser(request);
        } catch (cause) {
          if (cause instanceof GraphQLError) throw cause;
          throw new DomainError(
            'INVALID_INPUT',
            'The request could not be parsed. Check the body and its content type.',
            { cause },
          );
        }
      });
    },
  };
}

/** 503 if the database is unavailable and no field could be resolved. */
function reportOutages(): Plugin {
  return {
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        if (Symbol.asyncIterator in result) return;
        const outage = result.errors?.map(({ originalError }) => refusalOfRequest(originalError)).find(isOverload);
        const isAnythingResolved = Object.values(result.data ?? {}).some((value) => value !== null);
        if (!outage || isAnythingResolved) return;
        const headers = { 'retry-after': String(outage.retryAfterSeconds ?? 1) };
        setResult({ ...result, extensions: { ...result.extensions, http: { status: 503, headers } } });
      },
    }),
  };
}

function isOverload(refusal: DomainError | null): refusal is DomainError {
  return refusal?.kind === 'overloaded';
}

function unknownContentType(): GraphQLError {
  const message = 'Send the operation as application/json, or with files as multipart/form-data.';
  return new GraphQLError(message, { extensions: { http: { status: 415 } } });
}
