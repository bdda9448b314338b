/**
 * Parses a setting by its name. If that fails, returns `onError` and records the error; the start then fails
 * with the errors of all settings.
 */
export type ReadSetting = <T>(name: string, parse: (value: string) => T, onError: T) => T;
