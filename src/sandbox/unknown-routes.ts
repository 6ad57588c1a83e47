import { withoutToken } from './interceptors/credentials.js';

/** Counts calls to routes that the platform does not have. */
export class UnknownRoutes {
  readonly #calls = new Map<string, number>();

  add(method: string, path: string): void {
    const route = `${method} ${withoutToken(path).replace(/\/\d{15,20}(?=\/|$)/g, '/:id')}`;
    this.#calls.set(route, (this.#calls.get(route) ?? 0) + 1);
  }

  /** A sentence and a line for each route. Null if there were no calls. */
  describe(): string | null {
    const routes = [...this.#calls].sort(([, a], [, b]) => b - a);
    if (routes.length === 0) return null;
    const total = routes.reduce((sum, [, calls]) => sum + calls, 0);
    const title = total === 1 ? '1 call went to a route' : `${total} calls went to routes`;
    const verb = total === 1 ? 'does' : 'do';
    const lines = routes.map(([route, calls]) => `  ${calls} × ${route}\n`);
    return `${title} that ${verb} not exist here:\n${lines.join('')}`;
  }
}
