import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';

const toasts = Toast.createToastManager();

/** Says something in passing, over whatever page is open. What is still said is said anew, not twice. */
export function say(title: string): void {
  toasts.add({ id: title, title });
}

/** Says that something was refused, and interrupts for it. */
export function complain(title: string): void {
  toasts.add({ title, priority: 'high' });
}

/** Where it is said. */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast card">
      <Toast.Title />
      <Toast.Close className="link" aria-label="Close">
        Close
      </Toast.Close>
    </Toast.Root>
  ));
}
