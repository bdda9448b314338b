/** Parses a setting by its name. If that fails, `onError` stands for it, and the start ends with the errors of all settings. */
export type ReadSetting = <T>(name: string, parse: (value: string) => T, onError: T) => T;
