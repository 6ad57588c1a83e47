import { lazyRouteComponent } from '@tanstack/react-router';
import { loadPart } from '../ui/broken.js';

export function page<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => loadPart(load), name);
}
