;;; emacs.el --- A user of Emacs with eglot, set up as editors/README.md says  -*- lexical-binding: t -*-

;; emacs --batch -l emacs.el INIT PLAN.  Each check prints a line; the first that fails ends the test.

(require 'package)
(package-initialize)
(setq make-backup-files nil
      eglot-send-changes-idle-time 0)
(load (nth 0 command-line-args-left) nil t)
(require 'eglot)
(require 'flymake)
(require 'xref)

(defun dpl-done (name) (princ (format "ok %s\n" name)))
(defun dpl-check (value text &rest values) (or value (apply #'error text values)))

(defun dpl-idle ()
  "Does what waits until the user is idle, as batch mode never is.
Changed texts are sent then."
  (mapc #'timer-event-handler (copy-sequence timer-idle-list)))

(defun dpl-wait (what condition)
  "Runs the event loop until CONDITION has a value, which is returned."
  (let ((end (+ (float-time) 20)) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) end) (error "no %s after 20 s" what))
      (dpl-idle)
      (accept-process-output nil 0.05))
    value))

(defun dpl-go (text &optional after)
  "Moves to the only place of TEXT, or to the end of it if AFTER."
  (goto-char (point-min))
  (search-forward text)
  (unless after (goto-char (match-beginning 0))))

(defun dpl-replace (from to)
  (dpl-go from)
  (delete-region (point) (+ (point) (length from)))
  (insert to))

(defun dpl-errors ()
  (seq-filter (lambda (d) (memq (flymake-diagnostic-type d) '(eglot-error :error))) (flymake-diagnostics)))

(defvar dpl-text)

(defun dpl-start ()
  (find-file (nth 1 command-line-args-left))
  (dpl-check (eq major-mode 'dpl-mode) "mode %s" major-mode)
  (run-hooks 'post-command-hook) ; where `eglot-ensure' starts the server
  (dpl-wait "server" #'eglot-managed-p)
  (setq dpl-text (buffer-string))
  (font-lock-ensure)
  (pcase-dolist (`(,text . ,face) '(("layout dense3d" . font-lock-type-face) ("for llama70b" . font-lock-keyword-face)
                                    ("heads = 64" . font-lock-variable-name-face) ("80" . font-lock-comment-face)))
    (dpl-go text)
    (dpl-check (eq (get-text-property (point) 'face) face) "%s has %s" text (get-text-property (point) 'face)))
  (dpl-done "a file of DPL starts the server"))

(defun dpl-message-and-fix ()
  (dpl-replace "context = 8192tok" "context = 8192 tok")
  (let ((message (car (dpl-wait "message" #'dpl-errors))))
    (dpl-check (string-match-p "a space between a number and its unit" (flymake-diagnostic-text message))
               "%s" (flymake-diagnostic-text message))
    (dpl-check (= (line-number-at-pos (flymake-diagnostic-beg message)) (progn (dpl-go "8192 tok") (line-number-at-pos)))
               "at another line")
    (dpl-done "a message appears at its place")
    (goto-char (flymake-diagnostic-beg message)))
  (let ((completing-read-function (lambda (_ menu &rest _) (caar menu))))
    (eglot-code-actions (point) (point) "quickfix" t))
  (dpl-check (equal (buffer-string) dpl-text) "%s" (buffer-string))
  (dpl-wait "end of the message" (lambda () (not (dpl-errors))))
  (dpl-done "a code action repairs it, and the message goes"))

(defun dpl-hover ()
  (dpl-go "heads = 64")
  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown text)))
    (dpl-wait "text" (lambda () shown))
    (dpl-check (string-match-p "Number of query heads" shown) "%s" shown))
  (dpl-done "hover says what a field is"))

(defun dpl-definition ()
  (dpl-go "dgx_h100 {")
  (let ((plan (current-buffer)))
    (call-interactively #'xref-find-definitions)
    (dpl-check (string-match-p "clusters\\.dpl\\'" (buffer-file-name)) "%s" (buffer-file-name))
    (dpl-check (string-match-p "dgx_h100" (thing-at-point 'line)) "%s" (thing-at-point 'line))
    (dpl-check buffer-read-only "the library can be written")
    (switch-to-buffer plan))
  (dpl-done "definition leads into the library, which is read-only"))

(defun dpl-format ()
  (dpl-replace "  heads = 64, kv_heads = 8" "heads=64,kv_heads =8")
  (eglot-format-buffer)
  (dpl-check (equal (buffer-string) dpl-text) "%s" (buffer-string))
  (dpl-done "the document is formatted"))

(defun dpl-rename ()
  (dpl-go "pod from")
  (eglot-rename "machines")
  (dpl-check (equal (buffer-string) (replace-regexp-in-string "\\_<pod\\_>" "machines" dpl-text)) "%s" (buffer-string))
  (dpl-idle)
  (dpl-go "machines from")
  (eglot-rename "pod")
  (dpl-check (equal (buffer-string) dpl-text) "%s" (buffer-string))
  (dpl-done "rename changes every use"))

(defun dpl-completion ()
  (dpl-replace "schedule = interleaved_1f1b { chunks = 2 }" "schedule = ")
  (dpl-go "schedule = " t)
  (let* ((found (eglot-completion-at-point))
         (names (all-completions "" (nth 2 found))))
    (dolist (name '("1f1b" "interleaved_1f1b"))
      (dpl-check (seq-find (lambda (each) (string-prefix-p name each)) names) "completion lists %s" names)))
  (dpl-done "completion lists the schedules"))

(defconst dpl-steps
  '(("codeActionProvider" . dpl-message-and-fix) ("hoverProvider" . dpl-hover) ("definitionProvider" . dpl-definition)
    ("documentFormattingProvider" . dpl-format) ("renameProvider" . dpl-rename) ("completionProvider" . dpl-completion))
  "Each with the member of the server's capabilities that says it can.")

(condition-case why
    (let ((offered (split-string (getenv "DPL_OFFERED"))))
      (dpl-start)
      (pcase-dolist (`(,capability . ,step) dpl-steps)
        (when (member capability offered) (funcall step)))
      (set-buffer-modified-p nil)
      (kill-emacs 0))
  (error (message "%s" (error-message-string why)) (kill-emacs 1)))

;;; emacs.el ends here
