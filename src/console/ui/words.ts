import { texts } from '../text';

/** Words that many pages use. */
export const words = texts({
  add: ['Add', 'Adicionar'],
  cancel: ['Cancel', 'Cancelar'],
  close: ['Close', 'Fechar'],
  copied: ['Copied', 'Copiado'],
  copy: ['Copy', 'Copiar'],
  create: ['Create', 'Criar'],
  delete: ['Delete', 'Excluir'],
  edit: ['Edit', 'Editar'],
  loading: ['Loading…', 'Carregando…'],
  never: ['Never', 'Nunca'],
  no: ['No', 'Não'],
  none: ['None', 'Nenhum'],
  open: ['Open', 'Abrir'],
  remove: ['Remove', 'Remover'],
  request: [(id: string) => `Request ${id}`, (id: string) => `Solicitação ${id}`],
  save: ['Save', 'Salvar'],
  saved: ['Saved', 'Salvo'],
  tryAgain: ['Try again', 'Tentar de novo'],
  undo: ['Undo', 'Desfazer'],
  undone: ['Undone', 'Desfeito'],
  yes: ['Yes', 'Sim'],
});
