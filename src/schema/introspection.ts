import { type DocumentNode, type ExecutionResult, getOperationAST, Kind, stripIgnoredCharacters } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { GraphqlContext } from './context.js';

/** In bytes. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** In characters. */
const MAX_DOCUMENT = 16 * 1024;

/** Client tools often request the whole schema, which is the same for all callers. */
export function keepIntrospection(): Plugin<GraphqlContext> {
  const kept = new LRUCache<string, ExecutionResult>({ maxSize: KEPT_BYTES });
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const key = introspectionKey(args.document, args.operationName);
      if (key === null) return;
      const answer = kept.get(key);
      if (answer) return setResultAndStopExecution({ ...answer });
      return {
        onExecuteDone({ result }) {
          if (Symbol.asyncIterator in result || result.errors) return;
          kept.set(key, { ...result }, { size: key.length + args.contextValue.budget.bytesShown });
        },
      };
    },
  };
}

/** Ignores comments and spaces. Null unless the document is introspection without variables. */
function introspectionKey(document: DocumentNode, operationName: string | null | undefined): string | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query' || operation.variableDefinitions?.length) return null;
  const asksForSchema = operation.selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'),
  );
  const text = document.loc?.source.body;
  if (!asksForSchema || text === undefined || text.length > MAX_DOCUMENT) return null;
  return `${operationName ?? ''}\n${stripIgnoredCharacters(text)}`;
}
