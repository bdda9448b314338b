/** Purpose and code of a link, in the address of the page. */
export const LINK = /^#(sign-in|set-password|confirm-email)=(.+)$/;
