/**
 * A pushed message as the framework of a terminal reads it: split at its pipes into the id, the action and
 * the parameters. Each handler takes a fixed number of parameters; a message with another number is confirmed
 * but not executed.
 */
export interface HandledMessage {
  readonly id: string;
  readonly action: string;
  readonly parameters: readonly string[];
  readonly isExecuted: boolean;
}

/** Number of parameters that the handlers of the framework take. */
const HANDLERS: Readonly<Record<string, number>> = { SHOW_MESSAGE: 2 };

export function handleMessage(message: string): HandledMessage {
  const [id = '', action = '', ...parameters] = message.split('|');
  return { id, action, parameters, isExecuted: HANDLERS[action] === parameters.length };
}

/** `17|SHOW_MESSAGE|text` of a message that got the time of queueing as its second parameter. */
export const withoutTime = (message: string): string => message.replace(/\|\d\d-\d\d-\d{4} \d\d:\d\d$/, '');
