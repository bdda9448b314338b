import type { EntityType } from '../../gql/graphql';
import { texts } from '../../text';

/** Kinds of records in the change history. */
export const entityNames = texts({
  ACCESS_TOKEN: ['API token', 'Token da API'],
  APP: ['App', 'Aplicativo'],
  APP_VERSION: ['App version', 'Versão de aplicativo'],
  COMPANY: ['Company', 'Empresa'],
  DATABASE: ['Database', 'Banco de dados'],
  DEVICE: ['Device', 'Dispositivo'],
  DEVICE_TOKEN: ['Token of a device', 'Token de dispositivo'],
  FILE: ['File', 'Arquivo'],
  GROUP: ['Group', 'Grupo'],
  JOB: ['Job', 'Tarefa'],
  LOGICAL_NUMBER: ['Logical number', 'Número lógico'],
  MEMBERSHIP: ['Member', 'Membro'],
  METACONTENT: ['Metacontent', 'Metaconteúdo'],
  NOTIFICATION: ['Notification', 'Notificação'],
  PARAMETER: ['Parameter', 'Parâmetro'],
  SESSION: ['Session', 'Sessão'],
  SIGN_IN: ['Sign-in', 'Entrada'],
  TRANSACTION: ['Transaction', 'Transação'],
  USER: ['User', 'Usuário'],
} satisfies Readonly<Record<EntityType, readonly [string, string]>>);

/** Pages that show records of a kind. */
export const ENTITY_PAGES: Readonly<Partial<Record<EntityType, string>>> = {
  APP: '/apps',
  APP_VERSION: '/app-versions',
  DEVICE: '/devices',
  FILE: '/files',
  GROUP: '/groups',
  LOGICAL_NUMBER: '/logical-numbers',
  METACONTENT: '/metacontents',
  NOTIFICATION: '/notifications',
  PARAMETER: '/parameters',
  TRANSACTION: '/transactions',
};
