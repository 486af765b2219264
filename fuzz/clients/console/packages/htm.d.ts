export {default} from "htm";
