import { useBlocker } from '@tanstack/react-router';
import { isLostWithPage, isLostWithTab, isSecretLost } from '../unsaved.js';
import { Question } from './question.js';

/** Asks before navigation, history or closing the tab loses unsaved input. */
export function LeaveGuard() {
  const blocker = useBlocker({
    shouldBlockFn: isLostWithPage,
    enableBeforeUnload: isLostWithTab,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return <LeaveQuestion onStay={blocker.reset} onLeave={blocker.proceed} />;
}

interface LeaveQuestionProps {
  onStay: () => void;
  onLeave: () => void;
}

export function LeaveQuestion({ onStay, onLeave }: LeaveQuestionProps) {
  const isSecret = isSecretLost();
  return (
    <Question
      title={isSecret ? 'Leave without storing it?' : 'Leave without saving?'}
      safe="Stay"
      onSafe={onStay}
      action={
        <button type="button" className="bad" onClick={onLeave}>
          Leave
        </button>
      }
    >
      <p>{isSecret ? 'What is shown here is shown only now.' : 'What you typed here is not saved.'}</p>
    </Question>
  );
}
