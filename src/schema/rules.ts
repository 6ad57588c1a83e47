import {
  type ASTVisitor,
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

const MAX_DEPTH = 12;
const MAX_ALIASES = 100;

/** graphql-js has its own rule for introspection. */
export function limitDepth(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation: OperationDefinitionNode) {
      const depth = depthOf(operation.selectionSet, context, new Map());
      if (depth <= MAX_DEPTH) return;
      context.reportError(new GraphQLError(`Fields are nested ${depth} levels deep; the limit is ${MAX_DEPTH}.`));
    },
  };
}

export function limitAliases(context: ValidationContext): ASTVisitor {
  let count = 0;
  return {
    Field(field: FieldNode) {
      if (!field.alias) return;
      count += 1;
      if (count !== MAX_ALIASES + 1) return;
      context.reportError(new GraphQLError(`A document can have at most ${MAX_ALIASES} aliases.`, { nodes: field }));
    },
  };
}

/** @param fragments known depths; a cyclic fragment counts as 0, because another rule rejects it */
function depthOf(set: SelectionSetNode, context: ValidationContext, fragments: Map<string, number>): number {
  let deepest = 0;
  for (const selection of set.selections) {
    switch (selection.kind) {
      case Kind.FIELD: {
        if (selection.name.value.startsWith('__')) break;
        const below = selection.selectionSet ? depthOf(selection.selectionSet, context, fragments) : 0;
        deepest = Math.max(deepest, 1 + below);
        break;
      }
      case Kind.INLINE_FRAGMENT:
        deepest = Math.max(deepest, depthOf(selection.selectionSet, context, fragments));
        break;
      case Kind.FRAGMENT_SPREAD:
        deepest = Math.max(deepest, fragmentDepth(selection.name.value, context, fragments));
        break;
    }
  }
  return deepest;
}

function fragmentDepth(name: string, context: ValidationContext, fragments: Map<string, number>): number {
  const known = fragments.get(name);
  if (known !== undefined) return known;
  const fragment = context.getFragment(name);
  if (!fragment) return 0;
  fragments.set(name, 0);
  const depth = depthOf(fragment.selectionSet, context, fragments);
  fragments.set(name, depth);
  return depth;
}
