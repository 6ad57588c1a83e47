/** For `LRUCache`, whose option `max` would allocate the space for all entries at once. */
export function atMost(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
