import type { z } from 'zod';
import { addFault, NO_ID } from './fields.js';

interface Media {
  url: string;
}

interface Node {
  type: number;
  id: number;
  custom_id?: string | undefined;
  content?: string;
  media?: Media;
  items?: { media: Media }[];
  file?: Media;
  components?: Node[];
  accessory?: Node;
  component?: Node;
}

interface Placed<Of> {
  node: Of;
  path: PropertyKey[];
}

/** Depth-first in display order, parents before children. */
export function* walk(nodes: readonly Node[], path: PropertyKey[] = []): Generator<Placed<Node>> {
  for (const [index, node] of nodes.entries()) yield* walkOne(node, [...path, index]);
}

function* walkOne(node: Node, path: PropertyKey[]): Generator<Placed<Node>> {
  yield { node, path };
  if (node.components) yield* walk(node.components, [...path, 'components']);
  if (node.accessory) yield* walkOne(node.accessory, [...path, 'accessory']);
  if (node.component) yield* walkOne(node.component, [...path, 'component']);
}

export function checkDistinct(nodes: readonly Node[], context: z.RefinementCtx): void {
  const customIds = new Set<string>();
  const ids = new Set<number>();
  for (const { node, path } of walk(nodes)) {
    if (node.custom_id !== undefined && customIds.has(node.custom_id)) {
      const message = 'Component custom id cannot be duplicated';
      addFault(context, [...path, 'custom_id'], 'COMPONENT_CUSTOM_ID_DUPLICATED', message);
    }
    if (ids.has(node.id)) {
      addFault(context, [...path, 'id'], 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated');
    }
    if (node.custom_id !== undefined) customIds.add(node.custom_id);
    if (node.id !== NO_ID) ids.add(node.id);
  }
}

/** Assigns the lowest free ids from 1. Drops undefined fields. */
export function numberComponents<Of extends Node>(nodes: Of[]): Of[] {
  const taken = new Set([...walk(nodes)].map(({ node }) => node.id));
  let next = 1;
  for (const { node } of walk(nodes)) {
    if (node.id !== NO_ID) continue;
    while (taken.has(next)) next += 1;
    node.id = next;
    taken.add(next);
  }
  return JSON.parse(JSON.stringify(nodes));
}

/** Excludes media of child components. */
export function mediaIn({ media, items = [], file }: Node): { url: string; path: PropertyKey[] }[] {
  return [
    ...(media ? [{ url: media.url, path: ['media', 'url'] }] : []),
    ...items.map((item, index) => ({ url: item.media.url, path: ['items', index, 'media', 'url'] })),
    ...(file ? [{ url: file.url, path: ['file', 'url'] }] : []),
  ];
}
