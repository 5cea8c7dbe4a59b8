"IPython's shell in this process: what cells print and show, in the order in which it comes, without a kernel's start of a second"
from base64 import b64encode
from contextlib import redirect_stderr, redirect_stdout
from io import TextIOBase
import faulthandler
import traceback

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from nbformat.v4 import new_output
from traitlets.config import Config


LONGEST = 600 # seconds of a cell; then its process says where it is, and ends


def run_cells(cells):
    "Give each code cell its outputs, up to the first that raises"
    shell = Shell.instance(config=Config(HistoryManager={"hist_file": ":memory:"}))
    shell.enable_matplotlib("inline")
    for cell in cells:
        if cell.cell_type != "code": continue
        Shell.outputs = cell.outputs = []
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        with redirect_stdout(Stream("stdout")), redirect_stderr(Stream("stderr")):
            result = shell.run_cell(cell.source, store_history=True)
        faulthandler.cancel_dump_traceback_later()
        error = result.error_before_exec or result.error_in_exec
        if error is None: continue
        said = traceback.format_exception(error)
        cell.outputs.append(new_output("error", ename=type(error).__name__, evalue=str(error), traceback=said))
        return


def show(kind, data, metadata, **told):
    "One more output of the cell that runs; pictures of bytes are written as letters"
    data = {form: b64encode(value).decode() if isinstance(value, bytes) else value for form, value in data.items()}
    Shell.outputs.append(new_output(kind, data=data, metadata=metadata, **told))


class Stream(TextIOBase):
    "Text joins the output before it, if that is of the same stream"
    def __init__(self, name): self.name = name

    def write(self, text):
        last = Shell.outputs[-1] if Shell.outputs else {}
        if last.get("name") == self.name: last["text"] += text
        elif text: Shell.outputs.append(new_output("stream", name=self.name, text=text))
        return len(text)


class Publisher(DisplayPublisher):
    "What a cell displays"
    def publish(self, data, metadata=None, **_): show("display_data", data, metadata or {})


class Hook(DisplayHook):
    "The value of its last line"
    def start_displayhook(self): pass
    def write_output_prompt(self): pass
    def write_format_data(self, format_dict, md_dict=None):
        show("execute_result", format_dict, md_dict or {}, execution_count=None)

    def log_output(self, format_dict): pass
    def finish_displayhook(self): pass


class Shell(InteractiveShell):
    displayhook_class, display_pub_class = Hook, Publisher
    outputs: list = [] # of the cell that runs

    def enable_gui(self, gui=None): pass # no window
    def showtraceback(self, *args, **settings): pass # it is in the outputs
    showsyntaxerror = showtraceback
